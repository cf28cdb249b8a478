/** The designer's page: opens the line to the server and begins, or says why it cannot. */

import { found } from "../dom";
import { showFailure } from "../message";
import { ThemeSwitch } from "../theme";
import { Connection, NoServer } from "./connection";
import { Designer } from "./designer";
import { showEnd } from "./notices";
import type { Hello } from "./protocol";

declare global {
  interface Window {
    /** For tests and for the curious. */
    walkonDesigner: { ready: Promise<Designer>; designer: Designer | null };
  }
}

async function open(): Promise<Designer> {
  const themes = new ThemeSwitch();
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const line = new Connection(`ws://${location.host}/socket?token=${encodeURIComponent(token)}`);
  await line.opened;
  const hello = await line.ask<Hello>("hello");
  const designer = new Designer(line, hello, themes);
  line.lost = () => designer.end();
  window.walkonDesigner.designer = designer;
  return designer;
}

function fail(error: unknown): void {
  if (error instanceof NoServer && error.wrongToken) {
    showEnd(
      "This page may not change the graph",
      "The address has no token, or a wrong one.",
      "Open the address that “walkon graph design” printed: it ends with ?token=…",
    );
  } else if (error instanceof NoServer) {
    showEnd(
      "The designer’s server does not answer",
      error.message,
      "Is “walkon graph design” still running? Open the address that it printed.",
      true,
    );
  } else showFailure(error);
  found("page").inert = true;
}

const ready = open();
window.walkonDesigner = { ready, designer: null };
ready.catch(fail);
