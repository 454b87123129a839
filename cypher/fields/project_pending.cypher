// How many edges and steps of a project wait for a node.
COUNT { MATCH (x:PendingEdge {project_id: this.id}) WHERE x.src > '' }
