/** How the page is built. `--mode viewer` makes one self-contained HTML file (scripts, worker and styles inside), which
works from file:// and with no network; `--mode node` and `--mode node-client` make one module each, of what poses and of
what asks for poses, that tests and benchmarks run under Node. */

import { defineConfig, type Plugin } from "vite";

/** The pages and the HTML file that each is made of. */
const PAGES: Readonly<Record<string, string>> = { viewer: "index.html", designer: "designer.html" };

/** The modules for Node and the source that each is made of. */
const FOR_NODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  node: { posing: "src/posing.ts" },
  "node-client": { posing_client: "src/posing_in_worker.ts" },
};

/** Writes letters beyond ASCII as escapes: a script whose policy is its hash must survive any encoding of the page. */
function inAscii(code: string): string {
  const odd = /(?<!\\)(?:\\\\)*\\[^\x00-\x7f]/.exec(code); // a letter that is itself escaped would come out wrong
  if (odd) throw new Error(`cannot write ${odd[0]} in ASCII: leave out the backslash`);
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Puts scripts and styles into the page, in the place of links to them. */
function inOneFile(name: string, source: string): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle[source];
      if (page?.type !== "asset") throw new Error(`${source} was not built`);
      let html = String(page.source);
      for (const [file, part] of Object.entries(bundle)) {
        if (file === source) continue;
        const tag = file.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        if (part.type === "chunk") {
          // Inside a page only an end tag or a comment's beginning can end a script too soon.
          const code = inAscii(part.code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "\\x3C!--"));
          const link = new RegExp(`<script[^>]*src="[^"]*${tag}"[^>]*></script>`);
          if (!link.test(html)) throw new Error(`${file} is not linked from ${source}: the page must be one script`);
          html = html.replace(link, "");
          html = html.replace(/<\/body>/, () => `<script type="module">${code}</script>\n</body>`);
        } else if (file.endsWith(".css")) {
          const link = new RegExp(`<link[^>]*href="[^"]*${tag}"[^>]*>`);
          html = html.replace(link, () => `<style>${String(part.source)}</style>`);
        } else {
          throw new Error(`${file} would be a second file beside ${source}: import it inlined`);
        }
        delete bundle[file];
      }
      page.source = html;
      page.fileName = `${name}.html`;
    },
  };
}

export default defineConfig(({ mode }) => {
  const entry = FOR_NODE[mode];
  if (entry !== undefined) {
    return {
      build: {
        outDir: process.env.WALKON_NODE_OUT ?? "node_modules/.node-build",
        emptyOutDir: false,
        target: "node20",
        minify: false,
        lib: { entry, formats: ["es"] },
        rolldownOptions: { external: [/^node:/] },
      },
    };
  }
  const source = PAGES[mode];
  if (source === undefined) throw new Error(`there is no page ${mode}; pages are ${Object.keys(PAGES).join(", ")}`);
  return {
    base: "./",
    plugins: [inOneFile(mode, source)],
    build: {
      outDir: "../static",
      emptyOutDir: false,
      target: "es2022",
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: { input: source },
    },
    worker: { format: "iife" },
  };
});
