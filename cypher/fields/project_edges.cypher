// How many edges of all types a project has.
COUNT { MATCH (x:WorkNode {project_id: this.id})-[:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(:WorkNode) WHERE x.id > '' }
