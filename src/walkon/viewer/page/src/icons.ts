/** Icons of the page, drawn on a grid of 20. */

const PATHS = {
  play: '<path d="M6.5 4.2v11.6L15.8 10z" fill="currentColor" stroke-linejoin="round"/>',
  pause: '<path d="M7 4.5v11M13 4.5v11" stroke-width="2.6"/>',
  back: '<path d="M12.5 5 7.5 10l5 5"/><path d="M4.5 5v10"/>',
  forward: '<path d="m7.5 5 5 5-5 5"/><path d="M15.5 5v10"/>',
  loop: '<path d="M4 9a5 5 0 0 1 5-4h6"/><path d="m12.5 2.5 2.7 2.5-2.7 2.5"/><path d="M16 11a5 5 0 0 1-5 4H5"/><path d="m7.5 17.500-2.700-2.500 2.700-2.500"/>',
  orbit: '<circle cx="10" cy="10" r="2.2"/><ellipse cx="10" cy="10" rx="7.5" ry="3.400" transform="rotate(-22 10 10)"/>',
  follow: '<circle cx="10" cy="5.600" r="2.400"/><path d="M5.500 16.500c.4-4 2-6 4.500-6s4.100 2 4.500 6"/><path d="M2.500 6.500v-4h4M13.500 2.500h4v4"/>',
  first: '<path d="M2.200 10S5 4.800 10 4.800 17.800 10 17.800 10 15 15.200 10 15.200 2.200 10 2.200 10z"/><circle cx="10" cy="10" r="2.400"/>',
  all: '<path d="M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4"/>',
  layers: '<path d="m10 3 7.500 4L10 11 2.500 7z"/><path d="m3.500 10.600 6.500 3.500 6.500-3.500"/><path d="m3.500 13.800 6.500 3.500 6.500-3.500"/>',
  cases: '<path d="M10 3.200 17.600 16.400H2.400z"/><path d="M10 8.200v3.900M10 14.100v.2"/>',
  still: '<rect x="2.500" y="5.500" width="15" height="10.500" rx="2"/><path d="m6.800 5.500 1.200-2h4l1.200 2"/><circle cx="10" cy="10.700" r="2.800"/>',
  record: '<circle cx="10" cy="10" r="6.800"/><circle cx="10" cy="10" r="3" fill="currentColor"/>',
  stop: '<circle cx="10" cy="10" r="6.800"/><rect x="7.500" y="7.500" width="5" height="5" rx=".8" fill="currentColor"/>',
  theme: '<circle cx="10" cy="10" r="6.800"/><path d="M10 3.200a6.800 6.800 0 0 1 0 13.600z" fill="currentColor" stroke="none"/>',
  help: '<path d="M7.200 7.400a2.900 2.900 0 1 1 4.300 2.500c-1 .6-1.500 1.100-1.500 2.200"/><path d="M10 15.200v.3"/>',
  close: '<path d="m5.500 5.500 9 9M14.500 5.500l-9 9"/>',
  check: '<path d="m4.500 10.500 3.600 3.700 7.400-8.400" stroke-width="2.600"/>',
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("fill", "none");
  svg.setAttribute("stroke", "currentColor");
  svg.setAttribute("stroke-width", "1.6");
  svg.setAttribute("stroke-linecap", "round");
  svg.setAttribute("stroke-linejoin", "round");
  svg.innerHTML = PATHS[name];
  return svg;
}
