"""The one door to Neo4j: queries by name, transactions, schema."""
