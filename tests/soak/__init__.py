"""Random deals of every profile, a million at a time: every invariant after every act."""
