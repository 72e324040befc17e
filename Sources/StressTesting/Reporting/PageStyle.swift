/// How a finding's page looks, by day and by night.
enum PageStyle {
  static let text = """
    :root { color-scheme: light dark; --ink: #1c1e21; --faint: #6b7178; --paper: #ffffff;
      --line: #d8dce1; --bar: #cfe2fb; --edge: #3a78c3; --bad: #b3261e; --badbar: #fbdad7;
      --idle: #eceef1; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --faint: #9aa2ab;
      --paper: #16181b; --line: #363b42; --bar: #1e3a5f; --edge: #7db3f2; --bad: #ff8a80;
      --badbar: #55211d; --idle: #24282d; } }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
      max-width: 72rem; margin: 2rem auto; padding: 0 1.25rem; }
    h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
    h2 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
    .facts, li span, .lane, .mark { color: var(--faint); }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem .8rem; background: var(--idle); border-radius: 6px; }
    .scroll { overflow-x: auto; }
    svg { display: block; font: 13px system-ui, sans-serif; }
    svg text { fill: var(--ink); }
    svg text.lane { fill: var(--faint); }
    .rule { stroke: var(--line); }
    .bar { fill: var(--idle); stroke: var(--line); }
    .placed { fill: var(--bar); stroke: var(--edge); }
    .stuckbar { fill: var(--badbar); stroke: var(--bad); stroke-dasharray: 4 2; }
    .point { fill: var(--edge); }
    svg text.number { fill: var(--paper); font-size: 11px; text-anchor: middle; }
    .order { fill: none; stroke: var(--edge); stroke-dasharray: 2 3; }
    .stuck { color: var(--bad); }
    table { border-collapse: collapse; font-size: .85rem; }
    td, th { text-align: left; padding: .1rem .9rem .1rem 0; vertical-align: top; }
    """
}
