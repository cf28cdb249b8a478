/** Renewing what is shown: elements stay and take over text and attributes of fresh ones, so that a press that began on
a button ends on it, and the focus stays where it is. */

/** Make the children of a place look like fresh ones. Children are the same if tag and `data-key` are; their listeners
stay, so what a key stands for must not change. */
export function renew(place: Element, fresh: readonly Element[]): void {
  const focused = document.activeElement;
  const old = [...place.children];
  fresh.forEach((wanted, k) => {
    const match = old.findIndex((each) => same(each, wanted));
    const shown = match < 0 ? wanted : old.splice(match, 1)[0];
    if (match >= 0) takeOver(shown, wanted);
    const here = place.children[k] ?? null;
    if (here !== shown) place.insertBefore(shown, here);
  });
  for (const gone of old) gone.remove();
  // An element that was moved has lost the focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement && place.contains(focused)) focused.focus();
}

function same(a: Element, b: Element): boolean {
  return a.tagName === b.tagName && a.getAttribute("data-key") === b.getAttribute("data-key");
}

function takeOver(shown: Element, wanted: Element): void {
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  if (shown.childElementCount > 0 && wanted.childElementCount > 0) renew(shown, [...wanted.children]);
  else if (wanted.childElementCount > 0) shown.replaceChildren(...wanted.childNodes);
  else if (shown.textContent !== wanted.textContent) shown.textContent = wanted.textContent;
}
