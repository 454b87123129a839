// One headless browser, driven by lines of JSON: {"id", "do", "page"?, "args"} in on stdin,
// {"id", "value"} or {"id", "error"} out on stdout. It ends with its input. `chromium.py` speaks it.
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

const [folder, executable] = process.argv.slice(2);
const require = createRequire(path.join(folder, "package.json"));
const { chromium } = require("playwright-core");

// Nothing of a page may leave this machine: the rest of the network is cut and written down.
const LOCAL = new Set(["127.0.0.1", "localhost", "[::1]"]);
const TIMEOUT = 30_000;
// As many log lines as a page may leave; a loop of errors must not fill the memory.
const KEPT = 1000;
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const browser = await chromium.launch({
  executablePath: executable,
  chromiumSandbox: false,
  args: FLAGS,
});
const pages = new Map();

async function newPage() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  const log = { requests: [], outside: [], errors: [] };
  const note = (list, line) => list.length < KEPT && list.push(String(line));
  await context.route(
    (url) => !LOCAL.has(url.hostname) && !["data:", "blob:", "about:"].includes(url.protocol),
    (route) => {
      note(log.outside, route.request().url());
      return route.abort();
    },
  );
  await context.routeWebSocket(
    (url) => !LOCAL.has(url.hostname),
    (socket) => {
      note(log.outside, socket.url());
      return socket.close();
    },
  );
  context.on("request", (request) => note(log.requests, request.url()));
  page.on("console", (line) => line.type() === "error" && note(log.errors, line.text()));
  page.on("pageerror", (error) => note(log.errors, error));
  const id = `page-${pages.size}`;
  pages.set(id, { page, log });
  return id;
}

// What may be asked of a page; `args` are handed over as they come.
const DOINGS = {
  open: async ({ page }, url) => (await page.goto(url)).status(),
  content: ({ page }, html) => page.setContent(html),
  evaluate: ({ page }, code) => page.evaluate(code),
  wait: async ({ page }, code) => {
    // Asked from here: a page's own policy may forbid what waitForFunction does inside it.
    const deadline = Date.now() + TIMEOUT;
    while (!(await page.evaluate(code))) {
      if (Date.now() > deadline) {
        const shown = (await page.locator("body").innerText()).slice(0, 2000);
        throw new Error(`not true after ${TIMEOUT} ms: ${code}\nThe page shows:\n${shown}`);
      }
      await page.waitForTimeout(50);
    }
  },
  script: async ({ page }, file) => {
    await page.addScriptTag({ path: path.join(folder, "node_modules", file) });
  },
  click: ({ page }, selector) => page.locator(selector).click(),
  fill: ({ page }, selector, text) => page.locator(selector).fill(text),
  press: ({ page }, keys) => page.keyboard.press(keys),
  type: ({ page }, text) => page.keyboard.insertText(text),
  text: ({ page }, selector) => page.locator(selector).innerText(),
  screenshot: async ({ page }, file) => {
    await page.screenshot({ path: file });
  },
  log: ({ log }) => log,
  close: ({ page }) => page.context().close(),
};

async function answer({ id, do: what, page, args = [] }) {
  try {
    const value = what === "page" ? await newPage() : await DOINGS[what](pages.get(page), ...args);
    return { id, value: value ?? null };
  } catch (error) {
    return { id, error: String(error?.message ?? error) };
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
await browser.close();
