"use strict";
// Draws the points that the page carries, and moves what can be moved. Strings of the table reach
// the page through textContent only, and plotly through plain() only.
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const data = JSON.parse(find("#points").textContent);

  // ---- reading the payload -------------------------------------------------------------------
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const components = data.representation.map((column) => new Float32Array(bytes(column)));
  const given = new Int32Array(bytes(data.given));
  const predicted = new Int32Array(bytes(data.predicted));
  const leftOut = new Int32Array(bytes(data.left_out));
  const probability = new Float32Array(bytes(data.probability));
  const classOf = (i) => (given[i] >= 0 ? given[i] : predicted[i]);
  // Labeled rows that would get another label without their own.
  const contested = (i) => given[i] >= 0 && leftOut[i] >= 0 && leftOut[i] !== given[i];
  const nameOf = (code) => (code >= 0 ? data.classes[code] : "no label");

  // ---- state: what the person has chosen -----------------------------------------------------
  const flat = data.n_components === 1;
  const view = { dimensions: "2d", color: "label", axes: { x: 0, y: 1, z: 2 }, hidden: new Set(), picked: null };
  let printing = false; // paper has its own width
  const drawn = { "2d": false, "3d": false };
  const webgl = (() => {
    const gl = document.createElement("canvas").getContext("webgl");
    if (gl) gl.getExtension("WEBGL_lose_context")?.loseContext();
    return Boolean(gl);
  })();

  // ---- groups: rows that look alike are one trace; labeled ones come last and lie on top --------
  const LABELED = 1e6, STEPS = 10;
  const leastSure = 1 / Math.max(data.classes.length, 2);
  const stepOf = (i) => {
    const step = Math.floor((STEPS * (probability[i] - leastSure)) / (1 - leastSure));
    return Math.min(Math.max(step || 0, 0), STEPS - 1);
  };
  const groupRows = (order) => {
    const found = new Map();
    for (let i = 0; i < given.length; i++) {
      if (view.hidden.has(classOf(i))) continue;
      const key = (given[i] >= 0 ? LABELED : 0) + order(i);
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(i);
    }
    return [...found.entries()].sort((a, b) => a[0] - b[0])
      .map(([key, rows]) => ({ labeled: key >= LABELED, code: classOf(rows[0]), step: stepOf(rows[0]), rows: Int32Array.from(rows) }));
  };
  // By class, or by how sure in steps of one color each (plotly is slow with a color for each
  // point), the doubtful ones on top.
  const groups = () => groupRows(view.color === "label" ? classOf : (i) => STEPS - stepOf(i));
  // Few labeled rows are drawn large, many less so: they must stand out, not cover the others.
  const nLabeled = given.filter((code) => code >= 0).length;
  const labeledExtra = Math.min(8, Math.max(2, 100 / Math.sqrt(nLabeled + 1)));
  const thin = innerWidth < 640 ? 0.75 : 1;
  const faint = Math.min(0.85, Math.max(0.35, 900 / given.length));

  // ---- theme -----------------------------------------------------------------------------------
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const setTheme = (name) => { root.dataset.theme = name; };
  const colorOf = (code) => css(code >= 0 ? `--class-${data.colors[code]}` : "--unknown");

  // ---- traces ------------------------------------------------------------------------------------
  // plotly reads a few HTML tags in text: entities keep a name what it is.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  // One component: a line for each class, rows beside it at golden-ratio distances, no randomness.
  const beside = (i) => classOf(i) + (((i * 0.6180339887) % 1) - 0.5) * 0.7;
  const take = (rows, value) => Float32Array.from(rows, value);
  const positions = (rows) => {
    const on = (axis) => take(rows, (i) => components[view.axes[axis]][i]);
    if (flat) return { x: take(rows, (i) => components[0][i]), y: take(rows, beside) };
    return view.dimensions === "3d" ? { x: on("x"), y: on("y"), z: on("z") } : { x: on("x"), y: on("y") };
  };
  const traceType = () => (view.dimensions === "3d" ? "scatter3d" : webgl ? "scattergl" : "scatter");
  const marker = (group) => {
    const small = (view.dimensions === "3d" ? 3 : 5) * thin;
    const look = group.labeled
      ? { size: small + (view.dimensions === "3d" ? labeledExtra / 2 : labeledExtra) * thin, opacity: 1, line: { color: css("--text"), width: nLabeled > 1000 ? 0.5 : 1 } }
      : { size: small, opacity: faint, line: { width: 0 } };
    if (view.color === "sure") return { ...look, ...surenessLook(group) };
    const symbol = group.code >= 0 ? data.symbols[view.dimensions][group.code] : data.fallback_symbol;
    const color = colorOf(group.code);
    // An open symbol is nothing but its line.
    if (symbol.endsWith("-open")) look.line = { color, width: group.labeled ? 3 : 1 };
    return { ...look, symbol, color };
  };
  const surenessLook = ({ labeled, step }) => ({
    symbol: data.fallback_symbol, color: ramp(step / (STEPS - 1)), opacity: labeled || step < STEPS / 2 ? 1 : faint,
  });
  const ramp = (share) => (share < 0.5
    ? blend(css("--class-1"), css("--unknown"), 2 * share)
    : blend(css("--unknown"), css("--class-0"), 2 * share - 1));
  const blend = (from, to, share) => {
    const parts = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
    const start = parts(from);
    return `rgb(${parts(to).map((end, k) => Math.round(start[k] + share * (end - start[k]))).join()})`;
  };
  const trace = (group) => ({
    type: traceType(), mode: "markers", hoverinfo: "none", customdata: group.rows,
    name: plain(nameOf(group.code)), marker: marker(group), ...positions(group.rows),
  });
  const ring = () => ({
    type: traceType(), mode: "markers", hoverinfo: "skip",
    marker: { size: view.dimensions === "3d" ? 16 : 26, symbol: "circle-open", color: css("--text"), line: { color: css("--text"), width: 3 } },
    ...positions(Int32Array.of(view.picked)),
  });
  // A ring around a labeled row that leave-one-out gets wrong, in the color of the other class.
  const doubts = () => {
    const found = new Map();
    for (let i = 0; i < given.length; i++) {
      if (!contested(i) || view.hidden.has(given[i])) continue;
      if (!found.has(leftOut[i])) found.set(leftOut[i], []);
      found.get(leftOut[i]).push(i);
    }
    const size = (view.dimensions === "3d" ? 7 + labeledExtra / 2 : 11 + labeledExtra) * thin;
    return [...found.entries()].map(([code, rows]) => ({
      type: traceType(), mode: "markers", hoverinfo: "skip", name: "contested", ...positions(rows),
      marker: { size, symbol: "circle-open", color: colorOf(code), line: { color: colorOf(code), width: nLabeled > 300 ? 1.5 : 2.5 } },
    }));
  };
  const traces = () => [...groups().map(trace), ...doubts(), ...(view.picked === null ? [] : [ring()])];

  // ---- layout --------------------------------------------------------------------------------------
  const touch = matchMedia("(pointer: coarse)").matches;
  const axis = (name) => ({
    title: { text: `component ${view.axes[name] + 1}` }, gridcolor: css("--rule"), zerolinecolor: css("--rule"),
    linecolor: css("--rule"), automargin: true, showspikes: false, backgroundcolor: "rgba(0,0,0,0)", showbackground: false,
  });
  const classAxis = () => ({
    ...axis("y"), title: { text: "" }, tickvals: data.classes.map((_, code) => code), zeroline: false,
    ticktext: data.classes.map((name) => plain(name.length > 18 ? name.slice(0, 17) + "…" : name)),
  });
  const layout = () => {
    const common = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
      font: { color: css("--text"), family: getComputedStyle(document.body).fontFamily, size: 13 },
      margin: { l: 56, r: 16, t: 36, b: 48 }, autosize: !printing, ...(printing ? { width: 660, height: 420 } : {}),
      modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--quiet"), activecolor: css("--strong") }, uirevision: JSON.stringify([view.dimensions, view.axes]),
    };
    if (view.dimensions === "3d") {
      const camera = { eye: { x: 1.35, y: 1.35, z: 0.8 }, center: { x: 0, y: 0, z: -0.12 } };
      const scene = { xaxis: axis("x"), yaxis: axis("y"), zaxis: axis("z"), camera, aspectmode: "cube" };
      return { ...common, margin: { l: 0, r: 0, t: 0, b: 0 }, scene };
    }
    // A finger that moves over the plot scrolls the page; a mouse zooms.
    return { ...common, dragmode: touch ? false : "zoom", xaxis: axis("x"), yaxis: flat ? classAxis() : axis("y") };
  };
  const config = {
    responsive: true, displaylogo: false, showSendToCloud: false, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { filename: "representation", scale: 2 },
  };

  // ---- drawing -------------------------------------------------------------------------------------
  const stage = find(".stage");
  const plot = () => find(`#plot-${view.dimensions}`);
  const draw = async () => {
    const target = plot();
    await Plotly.react(target, traces(), layout(), config);
    if (!drawn[view.dimensions]) {
      drawn[view.dimensions] = true;
      target.on("plotly_hover", (event) => showCard(event.points[0].customdata));
      target.on("plotly_click", (event) => showCard(event.points[0].customdata));
      target.on("plotly_unhover", hideCard);
    }
    root.dataset.drawn = view.dimensions;
  };

  // ---- the card of a row ---------------------------------------------------------------------------
  const card = find("#card");
  const pointer = { x: 0, y: 0 };
  const remember = (event) => {
    const box = stage.getBoundingClientRect();
    pointer.x = event.clientX - box.left;
    pointer.y = event.clientY - box.top;
  };
  const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const facts = (i) => {
    const percent = `${(100 * probability[i]).toFixed(1)}%`;
    const known = given[i] >= 0
      ? [["label", `${nameOf(given[i])} (given)`], ...(contested(i) ? [["without it", nameOf(leftOut[i])]] : [])]
      : [["label", `${nameOf(predicted[i])} (predicted)`], ["how sure", percent]];
    return [...known, ...data.hover.map((column) => [column.name, column.values[i]])];
  };
  const fill = (i) => {
    const list = document.createElement("dl");
    for (const [name, value] of facts(i)) list.append(element("dt", name), element("dd", value));
    card.replaceChildren(element("strong", `row ${data.row[i]}`), list);
  };
  const place = () => {
    const room = { x: stage.clientWidth - card.offsetWidth - 8, y: stage.clientHeight - card.offsetHeight - 8 };
    const left = pointer.x + 18 > room.x ? pointer.x - card.offsetWidth - 18 : pointer.x + 18;
    card.style.left = `${Math.max(8, Math.min(left, room.x))}px`;
    card.style.top = `${Math.max(8, Math.min(pointer.y + 14, room.y))}px`;
  };
  function showCard(i) { if (i === undefined) return; fill(i); card.hidden = false; place(); }
  function hideCard() { card.hidden = true; }

  // ---- choices -------------------------------------------------------------------------------------
  const press = (buttons, chosen) => buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === chosen)));
  const show = (dimensions) => {
    view.dimensions = dimensions;
    hideCard();
    press(all("[data-view]"), find(`[data-view="${dimensions}"]`));
    for (const name of ["2d", "3d"]) find(`#plot-${name}`).hidden = name !== dimensions;
    const third = find('[data-axis-label="z"]');
    if (third) third.hidden = dimensions !== "3d";
    return draw();
  };
  const pick = async (i) => {
    view.picked = i;
    await show("2d");
    find("#picked").textContent = `Marked with a ring: row ${data.row[i]}, ${nameOf(classOf(i))}.`;
    stage.scrollIntoView({ block: "center" });
  };
  const toggleClass = (button) => {
    const code = Number(button.dataset.class);
    if (!view.hidden.delete(code)) view.hidden.add(code);
    button.setAttribute("aria-pressed", String(!view.hidden.has(code)));
    return draw();
  };
  const retheme = (name) => { setTheme(name); return draw(); };
  const copyCommand = async (button) => {
    const command = find("#command");
    getSelection().selectAllChildren(command);
    try { await navigator.clipboard.writeText(command.textContent); button.textContent = "Copied"; } catch { button.textContent = "Press Ctrl+C"; }
  };
  const listen = () => {
    all("[data-view]").forEach((b) => b.addEventListener("click", () => show(b.dataset.view)));
    all("[data-color]").forEach((b) => b.addEventListener("click", () => {
      view.color = root.dataset.color = b.dataset.color;
      press(all("[data-color]"), b);
      draw();
    }));
    all("[data-axis]").forEach((s) => s.addEventListener("change", () => { view.axes[s.dataset.axis] = Number(s.value); draw(); }));
    all("[data-class]").forEach((b) => b.addEventListener("click", () => toggleClass(b)));
    all("[data-point]").forEach((b) => b.addEventListener("click", () => pick(Number(b.dataset.point))));
    find("#theme").addEventListener("click", () => retheme(root.dataset.theme === "dark" ? "light" : "dark"));
    find("#copy").addEventListener("click", (event) => copyCommand(event.currentTarget));
    dark.addEventListener("change", () => retheme(dark.matches ? "dark" : "light"));
    stage.addEventListener("pointermove", remember, true);
    stage.addEventListener("pointerdown", remember, true);
    stage.addEventListener("pointerleave", hideCard);
  };

  // ---- print: light, and everything unfolded ---------------------------------------------------------
  let before = null;
  addEventListener("beforeprint", () => {
    before = { theme: root.dataset.theme, closed: all("details:not([open])") };
    before.closed.forEach((d) => { d.open = true; });
    printing = true;
    retheme("light");
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    before.closed.forEach((d) => { d.open = false; });
    printing = false;
    retheme(before.theme);
    before = null;
  });

  root.dataset.ready = "";
  listen();
  if (!webgl) {
    find("#picked").textContent = "This browser has no WebGL: the picture is drawn more slowly, and in 2-D only.";
    all("[data-view]").forEach((b) => { b.parentElement.hidden = true; });
  }
  show("2d");
})();
