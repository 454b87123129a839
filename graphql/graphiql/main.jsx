// The page: GraphiQL over this server's own API, and a question for the key where it wants one.
import { DOC_EXPLORER_PLUGIN } from "@graphiql/plugin-doc-explorer";
import { GraphiQL } from "graphiql";
import "graphiql/style.css";
import { createRoot } from "react-dom/client";
import alike from "./alike.graphql";
import example from "./example.graphql";
import grouped from "./grouped.graphql";
import "./page.css";

// Beside the page, so that it also works behind a proxy that adds a prefix.
const API = new URL("graphql", document.baseURI);
// For this tab only: the key is never written to the disk.
const KEPT = "gotn-key";

const worker = (address) => new Worker(new URL(address, document.baseURI), { type: "module" });
const { editorWorker, jsonWorker, graphqlWorker } = document.body.dataset;
globalThis.MonacoEnvironment = {
  getWorker: (_, label) =>
    worker({ json: jsonWorker, graphql: graphqlWorker }[label] ?? editorWorker),
};

function send(operation, given) {
  const headers = new Headers({ "content-type": "application/json" });
  const key = sessionStorage.getItem(KEPT);
  if (key) headers.set("authorization", `Bearer ${encoded(key)}`);
  // Whatever is written into the page's editor of headers goes first.
  for (const [name, value] of Object.entries(given ?? {})) headers.set(name, value);
  return fetch(API, { method: "POST", headers, body: JSON.stringify(operation) });
}

// A header has bytes where the key has characters: fetch takes each for one of Latin-1.
const encoded = (key) => String.fromCharCode(...new TextEncoder().encode(key));

async function fetcher(operation, options) {
  const answer = await send(operation, options?.headers);
  if (answer.status === 401) start(); // the server has another key since
  return answer.json();
}

function Key({ wrong }) {
  const enter = (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEPT, new FormData(event.target).get("key").trim());
    start();
  };
  return (
    <form id="key" onSubmit={enter}>
      <h1>GoTN</h1>
      <label htmlFor="given">This server asks for its key (GOTN_API_KEY).</label>
      <input id="given" name="key" type="password" autoComplete="off" autoFocus required />
      <button type="submit">Open GraphiQL</button>
      <p role="alert">{wrong ? "That is not the key." : ""}</p>
    </form>
  );
}

// What the page opens with, until somebody has tabs of their own.
const TABS = [example, grouped, alike].map((query) => ({ query }));

// The documentation stands open when the page is opened for the first time.
const Explorer = () => (
  <GraphiQL
    defaultQuery={example}
    defaultTabs={TABS}
    fetcher={fetcher}
    inputValueDeprecation
    schemaDescription
    visiblePlugin={DOC_EXPLORER_PLUGIN}
  >
    <GraphiQL.Logo>GoTN</GraphiQL.Logo>
  </GraphiQL>
);

const root = createRoot(document.getElementById("page"));

async function start() {
  const had = sessionStorage.getItem(KEPT) !== null;
  const answer = await send({ query: "{ __typename }" }).catch(() => null);
  const locked = answer?.status === 401;
  root.render(locked ? <Key wrong={had} /> : <Explorer />);
}

start();
