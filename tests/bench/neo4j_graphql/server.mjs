// The same list out of the same graph by @neo4j/graphql: node server.mjs URI USER PASSWORD PORT
import { createServer } from "node:http";
import { Neo4jGraphQL } from "@neo4j/graphql";
import { createYoga } from "graphql-yoga";
import neo4j from "neo4j-driver";

const [uri, user, password, port] = process.argv.slice(2);
// Without the two moments: it reads them by APOC, which is not part of Neo4j.
const typeDefs = `
  type WorkNode @node {
    key: ID!
    projectId: String! @alias(property: "project_id")
    nodeId: String! @alias(property: "id")
    kind: String!
    summary: String!
    status: String!
    execTarget: String @alias(property: "exec_target")
    version: Int!
    revision: Int!
    prerequisites: [WorkNode!]! @relationship(type: "HARD_REQUIRES", direction: IN)
  }
`;
const auth = password ? neo4j.auth.basic(user, password) : undefined;
const driver = neo4j.driver(uri, auth);
const schema = await new Neo4jGraphQL({ typeDefs, driver }).getSchema();
const yoga = createYoga({
  schema,
  logging: false,
  graphiql: false,
  healthCheckEndpoint: "/readyz",
  context: () => ({ driver }),
});
createServer(yoga).listen(Number(port), "127.0.0.1");
