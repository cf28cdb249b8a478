/** Building the interface: elements in one line, numbers and lists in words. */

type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | (() => void)>>;

/** Make an element; functions become click listeners, true and false switch an attribute on and off. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

/** Find an element of the page that must be there. */
export function found<T extends HTMLElement = HTMLElement>(id: string): T {
  const it = document.getElementById(id);
  if (it === null) throw new Error(`the page has no element ${id}`);
  return it as T;
}

/** 3 → "3", 3.456 → "3.46". */
export function shortNumber(value: number, digits = 2): string {
  return value.toFixed(digits).replace(/\.?0+$/, "") || "0";
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** "1 character", "2 characters". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
