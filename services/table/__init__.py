"""The table service: it opens tables, takes every act and shows each viewer what it may see."""
