// How many things a project's unfinished import has staged; null where there is none.
head(COLLECT { MATCH (x:Import {key: this.id, project_id: this.id}) RETURN x.nodes + x.edges })
