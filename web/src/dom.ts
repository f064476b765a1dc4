// Elements from text. Everything from a capture goes through textContent or an attribute: never parsed as HTML.

type Child = Node | string | undefined | null | false;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | ((e: Event) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    // Through the object model: a strict content security policy refuses the attribute.
    else if (name === "style") node.style.cssText = String(value);
    else node.setAttribute(name, String(value));
  }
  node.append(...children.filter((c): c is Node | string => !!c));
  return node;
}

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
