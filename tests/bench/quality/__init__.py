"""How well meaning is found: whether issues that belong together rank nearer than others."""
