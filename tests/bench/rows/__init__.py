"""The measurements, a module a subject; each yields results as they are ready."""
