// Vectors that several servers share: never on the node itself, found by Neo4j's own index.
CREATE CONSTRAINT vector_key IF NOT EXISTS FOR (n:Vector) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT vector_collection_key IF NOT EXISTS FOR (n:VectorCollection) REQUIRE n.key IS UNIQUE;
CREATE INDEX vector_id IF NOT EXISTS FOR (n:Vector) ON (n.project_id, n.id);
CREATE VECTOR INDEX vector_embedding IF NOT EXISTS FOR (n:Vector) ON (n.embedding) OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
