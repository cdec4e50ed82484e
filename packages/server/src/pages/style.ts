/**
 * The CSS of pages.
 *
 * The yes of a dangerous question appears after half a second, so that a double click on the link does not press it.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f6f4; --card: #fff; --ink: #1d1f24; --soft: #5a5f6b; --line: #d9dade; --edge: #878c98;
  --accent: #2f5bd0; --on-accent: #fff; --bad: #b3261e; --bad-paper: #fdf1f0; --on-bad: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1d2026; --ink: #e9eaee; --soft: #a5aab6; --line: #343943; --edge: #7c8290;
    --accent: #8fb0ff; --on-accent: #10182b; --bad: #ff9d94; --bad-paper: #2c1c1c; --on-bad: #2b0d0a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 6vh 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main {
  max-width: 36rem; margin: 0 auto; padding: 2rem 2.25rem 1.75rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 14px;
}
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.3; font-weight: 650; }
h2 { margin: 0 0 .25rem; font-size: 1rem; }
p { margin: 0 0 .75rem; }
small { font-size: .875rem; font-weight: 400; color: var(--soft); }
a { color: var(--accent); }
.who { margin: 0 0 1.25rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); color: var(--soft); }
.who strong { color: var(--ink); font-weight: 600; }
.text { max-height: 40vh; overflow: auto; white-space: pre-wrap; }
.text.long { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; margin-bottom: 1rem; }
.text:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
form { margin: 0; }
.field { border: 0; margin: 1.25rem 0 0; padding: 0; min-width: 0; }
label, legend { display: block; padding: 0; margin: 0 0 .25rem; font-weight: 600; }
.hint { margin: 0 0 .35rem; font-size: .875rem; color: var(--soft); }
.problem { margin: 0 0 .4rem; color: var(--bad); font-weight: 600; font-size: .9375rem; }
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type=radio], [type=checkbox], [type=file]), select, textarea {
  width: 100%; min-height: 2.75rem; padding: .55rem .75rem; background: var(--card);
  border: 1px solid var(--edge); border-radius: 8px;
}
textarea { resize: vertical; }
input[type=file] { width: 100%; padding: .9rem; border: 1px dashed var(--edge); border-radius: 8px; }
[aria-invalid=true]:is(input, select, textarea) { border-color: var(--bad); border-width: 2px; }
:is(input, select, textarea, button, a, fieldset):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.moment { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; }
.choices { display: grid; gap: .5rem; max-height: 24rem; overflow: auto; padding: 3px; margin: 0 -3px; }
.choice {
  display: flex; gap: .7rem; align-items: flex-start; margin: 0; padding: .6rem .75rem; font-weight: 400;
  border: 1px solid var(--line); border-radius: 8px; cursor: pointer;
}
.choice:has(input:checked) { border-color: var(--accent); }
.choice:has(input:focus-visible) { outline: 3px solid var(--accent); outline-offset: 0; }
.choice input { flex: none; width: 1.1rem; height: 1.1rem; margin: .22rem 0 0; accent-color: var(--accent); outline: none !important; }
.choice small { display: block; }
.stars { display: flex; flex-wrap: wrap; }
.star { display: flex; gap: .3rem; align-items: center; margin: 0; padding: .2rem .3rem; border-radius: 8px; cursor: pointer; font-weight: 400; }
.star::after { content: "\\2606"; font-size: 2rem; line-height: 1; color: var(--soft); }
@supports selector(:has(*)) {
  .star { position: relative; }
  .star input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
  .star:has(input:checked)::after, .star:has(~ .star input:checked)::after { content: "\\2605"; color: var(--accent); }
  .star:has(input:focus-visible) { outline: 3px solid var(--accent); }
}
.usage { margin: 1.25rem 0 0; padding-left: .85rem; border-left: 3px solid var(--accent); color: var(--soft); font-size: .9375rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem; }
button {
  min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: 8px; cursor: pointer; font-weight: 600;
  background: var(--accent); color: var(--on-accent); border: 1px solid var(--accent);
}
button.quiet { background: none; color: var(--ink); border-color: var(--edge); }
button.danger { background: var(--bad); color: var(--on-bad); border-color: var(--bad); animation: appear .5s step-end; }
@keyframes appear { from { visibility: hidden; } }
.last { margin-left: auto; }
.summary { margin: 0 0 1.25rem; padding: .85rem 1rem; border: 1px solid var(--bad); border-radius: 8px; background: var(--bad-paper); }
.summary:focus { outline: 2px solid var(--bad); outline-offset: 0; }
.summary h2 { color: var(--bad); }
.summary ul { margin: 0; padding-left: 1.2rem; }
.summary a { color: var(--bad); }
.caution { margin: 0 0 1rem; padding: .7rem 1rem; border: 1px solid var(--bad); border-radius: 8px; }
.address { padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 8px; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9375rem; }
footer { margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
footer p:last-child { margin: 0; }
@media (max-width: 32rem) {
  body { padding: 0; background: var(--card); }
  main { border: 0; border-radius: 0; padding: 1.25rem 1rem; }
  .moment { grid-template-columns: 1fr; }
  .buttons button { flex: 1 1 100%; }
  .last { margin-left: 0; }
}
@media (forced-colors: active) { .choice:has(input:checked) { outline: 2px solid Highlight; } }
`;
