"""GoTN: a knowledge service for agent work, on Neo4j."""

__version__ = "0.1.0"
