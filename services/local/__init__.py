"""The embedded default: the whole system on one machine under one supervisor."""
