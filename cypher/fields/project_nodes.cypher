// How many nodes a project has.
COUNT { MATCH (x:WorkNode {project_id: this.id}) WHERE x.id > '' }
