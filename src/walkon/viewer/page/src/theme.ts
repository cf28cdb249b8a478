/** Light and dark: the colours of the scene, and which of the two the page shows.

The interface's own colours are in style.css under the same names; here are those that the scene needs. The reader's
choice is kept; without one the page follows the system. */

export type ThemeName = "light" | "dark";

export interface Theme {
  readonly name: ThemeName;
  /** The far floor and the sky, sRGB. */
  readonly background: number;
  readonly floor: number;
  readonly grid: number;
  /** How strongly lines of the grid, and every fifth, are drawn. */
  readonly gridStrength: readonly [number, number];
  /** How dark shadows on the floor are, 0 to 1. */
  readonly shadow: number;
  readonly sky: number;
  readonly ground: number;
  readonly skyIntensity: number;
  readonly sun: number;
  readonly sunIntensity: number;
  readonly obstacle: number;
  readonly edge: number;
  readonly seat: number;
  readonly metal: number;
  readonly bounds: number;
  readonly door: number;
  readonly accent: number;
  readonly bad: number;
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    name: "light",
    background: 0xe9ebee,
    floor: 0xf3f4f6,
    grid: 0x8b93a1,
    gridStrength: [0.16, 0.34],
    shadow: 0.38,
    sky: 0xf4f7ff,
    ground: 0xc9c3bb,
    skyIntensity: 1.75,
    sun: 0xfff4e4,
    sunIntensity: 2.1,
    obstacle: 0xcfd2d6,
    edge: 0x9aa1ab,
    seat: 0xb08f6e,
    metal: 0x6d737d,
    bounds: 0x6f7c90,
    door: 0x3f8f6b,
    accent: 0x2f6fde,
    bad: 0xc2402f,
  },
  dark: {
    name: "dark",
    background: 0x14161a,
    floor: 0x1e2126,
    grid: 0x9aa4b5,
    gridStrength: [0.065, 0.15],
    shadow: 0.55,
    sky: 0xc3d3ee,
    ground: 0x56524d,
    skyIntensity: 1.15,
    sun: 0xffeeda,
    sunIntensity: 1.75,
    obstacle: 0x5b626d,
    edge: 0x6d7480,
    seat: 0x8d7259,
    metal: 0x737a86,
    bounds: 0x7f8da3,
    door: 0x57b78c,
    accent: 0x6ea4ff,
    bad: 0xf0806f,
  },
};

const KEY = "walkon-theme";

/** Which theme is shown; tells those who asked when it changes. */
export class ThemeSwitch {
  private readonly listeners: ((theme: Theme) => void)[] = [];
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private chosen: ThemeName | null = stored();

  constructor() {
    this.dark.addEventListener("change", () => this.tell());
    this.tell();
  }

  get theme(): Theme {
    return THEMES[this.chosen ?? (this.dark.matches ? "dark" : "light")];
  }

  /** Call now, and whenever the theme changes. */
  watch(listener: (theme: Theme) => void): void {
    this.listeners.push(listener);
    listener(this.theme);
  }

  toggle(): void {
    this.chosen = this.theme.name === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // Pages from files may have no storage; the choice then lasts as long as the page.
    }
    this.tell();
  }

  private tell(): void {
    document.documentElement.dataset.theme = this.theme.name;
    for (const listener of this.listeners) listener(this.theme);
  }
}

function stored(): ThemeName | null {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null;
  }
}
