"""The look of HTML reports: one style sheet, light and dark, for wide windows and for phones."""

from walkon.drawing.svg_plots import PLOT_STYLE

__all__ = ["STYLE"]

STYLE = f"""
:root {{
  --paper: #fbfbfc; --card: #ffffff; --ink: #23262d; --faint: #6b7280; --rule: #e3e6ea;
  --line: #3c6fa8; --good: #1f7a4d; --good-back: #e5f4eb; --bad: #b3392c; --bad-back: #fbe9e6;
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --paper: #15171b; --card: #1d2026; --ink: #e4e7ec; --faint: #969ead; --rule: #31353d;
    --line: #7fb0e6; --good: #7fd3a6; --good-back: #17312a; --bad: #f2938a; --bad-back: #3b2220;
  }}
  img {{ filter: brightness(.88); }}
}}
* {{ box-sizing: border-box; }}
body {{
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}}
main {{ max-width: 68rem; margin: 0 auto; padding: 1.5rem clamp(.9rem, 3vw, 2rem) 3rem; }}
h1 {{ font-size: 1.6rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.15rem; margin: 2.2rem 0 .7rem; }}
h3 {{ font-size: .98rem; margin: 0 0 .2rem; }}
header p, footer, .where {{ color: var(--faint); margin: .3rem 0 0; }}
footer {{ margin-top: 3rem; font-size: .85rem; }}
header .verdict {{
  display: flex; gap: .7rem; align-items: baseline; margin-top: 1rem; padding: .75rem 1rem; border-radius: .6rem;
  font-weight: 600; color: var(--good); background: var(--good-back); overflow-wrap: anywhere;
}}
header .verdict.bad {{ color: var(--bad); background: var(--bad-back); }}
.tick {{ font-weight: 800; }}
.figures {{ columns: 27rem 2; column-gap: 3rem; }}
.figures table {{
  width: 100%; margin-bottom: 1.6rem; break-inside: avoid;
  border-collapse: collapse; font-variant-numeric: tabular-nums;
}}
.figures th, .figures td {{ padding: .3rem 0 .3rem .9rem; text-align: right; vertical-align: baseline; }}
.figures th:first-child, .figures td:first-child {{ text-align: left; padding-left: 0; width: 50%; }}
.figures td + td {{ white-space: nowrap; }}
.figures th {{ color: var(--faint); font-weight: 500; font-size: .85rem; }}
.figures th:first-child {{ color: var(--ink); font-weight: 650; font-size: 1rem; }}
.figures tbody tr {{ border-top: 1px solid var(--rule); }}
.figures td:nth-child(3) {{ color: var(--faint); }}
.figures code, .figures small {{ display: block; color: var(--faint); font-size: .74rem; }}
.figures .over td:nth-child(2), .figures .over small {{ color: var(--bad); font-weight: 650; }}
.figures .kept small {{ color: var(--good); }}
.figures .entry td {{ color: var(--faint); font-size: .88rem; padding-left: 1rem; overflow-wrap: anywhere; }}
.figures .entry {{ border-top: 0; }}
.plots {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.6rem 2.2rem; }}
.cases {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19.5rem), 1fr)); gap: 1.1rem; }}
.case {{ background: var(--card); border: 1px solid var(--rule); border-radius: .7rem; overflow: hidden; }}
.case.over {{ border-color: var(--bad); }}
.case img {{ display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: cover; }}
.case > div {{ padding: .75rem .9rem .9rem; overflow-wrap: anywhere; }}
.case p {{ margin: 0; font-size: .92rem; }}
.case .where {{ font-size: .82rem; margin-top: .35rem; }}
dl {{ display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .4rem 1.2rem; font-size: .9rem; }}
dt {{ font-weight: 600; }}
dd {{ margin: 0; color: var(--faint); overflow-wrap: anywhere; }}
@media (max-width: 40rem) {{
  dl {{ grid-template-columns: 1fr; }}
  dd {{ margin-bottom: .5rem; }}
  .figures th, .figures td {{ padding-left: .6rem; font-size: .9rem; }}
  .figures th:first-child, .figures td:first-child {{ width: auto; }}
  .figures code {{ display: none; }}
}}
{PLOT_STYLE}
""".strip()
"""CSS of a page."""
