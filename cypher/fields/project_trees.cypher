// How many task trees a project has.
COUNT { MATCH (x:TaskTree {project_id: this.id}) WHERE x.id > '' }
