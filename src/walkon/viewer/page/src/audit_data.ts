/** The audit of the take, where the page has one: its worst cases and the marks that are not met.

Embedded as JSON in <script id="audit-data" type="application/json">, or served beside the page under ./audit (204 where
there is none): what `walkon check --json` prints, with limits (walkon.viewer.page_file.audit_json). Anything that does
not fit is left out. */

export interface WorstCase {
  /** Dotted name of the figure: "foot_slide.max_m_s". */
  readonly figure: string;
  readonly value: number;
  readonly character: string;
  /** Row of the character; −1 for nobody's. */
  readonly row: number;
  readonly time: number;
  readonly place: readonly number[];
  readonly text: string;
  /** Whether it is beyond the limit of a good take. */
  readonly fault: boolean;
  /** The value beside its limit, in words; "" where there is none. */
  readonly verdict: string;
}

export interface UnmetMark {
  readonly character: string;
  readonly mark: string;
  readonly reason: string;
}

export interface AuditData {
  readonly worst: readonly WorstCase[];
  readonly unmet: readonly UnmetMark[];
}

/** Return the audit, or null; `served` says that the page came from `walkon view`. */
export async function auditData(served: boolean): Promise<AuditData | null> {
  const embedded = document.getElementById("audit-data");
  if (embedded) return parsed(embedded.textContent ?? "");
  if (!served) return null;
  try {
    const answer = await fetch("./audit", { cache: "no-store" });
    return answer.status === 200 ? parsed(await answer.text()) : null;
  } catch {
    return null;
  }
}

function parsed(text: string): AuditData | null {
  try {
    const data = JSON.parse(text) as { worst?: unknown; marks?: { unmet?: unknown } };
    const worst = Array.isArray(data.worst) ? (data.worst as WorstCase[]).filter(isCase) : [];
    const unmet = Array.isArray(data.marks?.unmet) ? (data.marks.unmet as UnmetMark[]) : [];
    return { worst, unmet: unmet.filter((mark) => typeof mark?.reason === "string") };
  } catch {
    return null;
  }
}

function isCase(entry: WorstCase): boolean {
  const words = [entry?.text, entry?.figure, entry?.verdict].every((each) => typeof each === "string");
  return words && entry.text !== "" && typeof entry.fault === "boolean" && typeof entry.time === "number" && Array.isArray(entry.place);
}
