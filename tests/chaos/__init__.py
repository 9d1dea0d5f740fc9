"""Real processes under load while they are killed, stopped and cut off, and a checker of what clients were told."""
