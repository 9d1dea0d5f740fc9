"""Non-interference over the wire: what a viewer receives never depends on cards that it cannot know."""
