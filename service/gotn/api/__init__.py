"""The GraphQL face: types over the records, one call a resolver."""
