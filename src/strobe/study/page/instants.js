/* An instant of a motion: pointed at in one plot, marked in all plots of that motion, and taken by the robot.

   A figure says by data-motion which motion it shows; its panels over time by data-time where their instants are: from
   x to x in pixels, from t to t in seconds, from y to y. Where the robot is out of sight, a small copy of it is shown. */
"use strict";

(() => {
  const figures = [...document.querySelectorAll("figure[data-motion]")].map((figure) => {
    const panels = [...figure.querySelectorAll("[data-time]")].map((group) => {
      const [left, right, from, to, top, bottom] = group.dataset.time.split(" ").map(Number);
      return { group, svg: group.ownerSVGElement, left, right, from, to, top, bottom, line: null };
    });
    return { figure, motion: figure.dataset.motion, panels };
  }).filter(({ panels }) => panels.length);
  if (!figures.length) return;

  const robot = window.strobe;
  const steps = 50; // of the arrow keys, from one end of a plot to the other
  const instants = {};

  function mark(panel, t) {
    if (!panel.line) {
      panel.line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      panel.line.setAttribute("class", "instant");
      panel.group.append(panel.line);
    }
    const inside = t >= panel.from && t <= panel.to;
    const x = panel.left + ((t - panel.from) / (panel.to - panel.from)) * (panel.right - panel.left);
    panel.line.setAttribute("d", inside ? `M${x.toFixed(2)} ${panel.top}V${panel.bottom}` : "");
  }

  function show(motion, t) {
    instants[motion] = t;
    figures.filter((f) => f.motion === motion).forEach(({ panels, clock }) => {
      panels.forEach((panel) => mark(panel, t));
      clock.textContent = `t = ${t.toFixed(3)} s`;
    });
  }

  /* ---- the small copy of the robot ------------------------------------------------------------------- */
  const inset = document.createElement("canvas");
  inset.className = "inset";
  inset.setAttribute("aria-hidden", "true");
  let wanted = false;
  function copy() {
    if (!robot || !robot.canvas.width) return;
    const seen = robot.canvas.getBoundingClientRect();
    const hidden = seen.bottom < 80 || seen.top > innerHeight - 80;
    inset.classList.toggle("shown", wanted && hidden);
    if (!wanted || !hidden) return;
    if (!inset.isConnected) document.body.append(inset);
    [inset.width, inset.height] = [robot.canvas.width, robot.canvas.height];
    inset.getContext("2d").drawImage(robot.canvas, 0, 0);
  }
  document.addEventListener("drawn", copy);
  addEventListener("scroll", copy, { passive: true });
  const leave = () => { wanted = false; copy(); };

  /* ---- pointing ------------------------------------------------------------------------------------- */
  function pointed({ panels }, e) {
    for (const panel of panels) {
      const place = panel.svg.getBoundingClientRect();
      if (!place.width) continue; // the drawing for another width
      const scale = panel.svg.viewBox.baseVal.width / place.width;
      const [x, y] = [(e.clientX - place.left) * scale, (e.clientY - place.top) * scale];
      if (x < panel.left - 4 || x > panel.right + 4 || y < panel.top - 8 || y > panel.bottom + 8) continue;
      return clamped(panels, panel.from + ((x - panel.left) / (panel.right - panel.left)) * (panel.to - panel.from));
    }
    return null;
  }
  const clamped = (panels, t) => Math.min(Math.max(...panels.map((p) => p.to)), Math.max(0, t));

  function go({ motion }, t) {
    wanted = Boolean(robot && robot.at(motion, t));
    show(motion, t);
    copy();
  }

  figures.forEach((each) => {
    const { figure, motion, panels } = each;
    each.clock = document.createElement("output");
    each.clock.className = "clock";
    figure.append(each.clock);
    figure.tabIndex = 0;
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-label", "Plots over time: point, touch or press the arrow keys to see the robot at an instant");
    const point = (e) => { const t = pointed(each, e); if (t !== null) go(each, t); };
    figure.addEventListener("pointermove", point);
    figure.addEventListener("pointerdown", point);
    figure.addEventListener("pointerleave", (e) => { if (e.pointerType !== "touch") leave(); }); // a finger lifts, and looks
    figure.addEventListener("blur", leave);
    figure.addEventListener("keydown", (e) => {
      const end = Math.max(...panels.map((p) => p.to)), now = instants[motion] ?? 0, step = end / steps;
      const next = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: end }[e.key];
      if (e.key === "Escape") leave();
      if (next === undefined || e.target !== figure) return;
      e.preventDefault();
      go(each, clamped(panels, next));
    });
  });
  document.addEventListener("pointerdown", (e) => { if (!e.target.closest("figure[data-motion]")) leave(); });
  document.addEventListener("instant", ({ detail: { motion, t } }) => show(motion, t));
})();
