// Whether no edge of any type joins a node to another.
NOT EXISTS { MATCH (this)-[:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]-(o:WorkNode) WHERE o.project_id = $project }
