"""The bundled sample: this project's own plan as a work graph, in `sample.json`."""
