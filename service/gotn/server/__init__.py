"""HTTP: the API, health, metrics, and who may call them."""
