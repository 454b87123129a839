// How many runs a project has.
COUNT { MATCH (x:Run {project_id: this.id}) WHERE x.id > '' }
