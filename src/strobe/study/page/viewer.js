/* The robot on a canvas: turned by dragging, moved by sliders, its torques computed by its own equations.

   The page defines `placements(q)` (twelve numbers per link: rotation and origin, row by row) and, where there are
   masses, `torques(q, qd, qdd)`. Everything else is in the data named "scene". */
"use strict";

(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const root = document.getElementById("viewer");
  const dynamic = typeof torques === "function";
  const controls = scene.controls;
  const TAU = 2 * Math.PI;

  /* ---- vectors ------------------------------------------------------------------------------------ */
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.hypot(a[0], a[1], a[2]);
  const unit = (a) => times(a, 1 / (norm(a) || 1));
  const moved = (M, p) => [0, 4, 8].map((r) => M[r] * p[0] + M[r + 1] * p[1] + M[r + 2] * p[2] + M[r + 3]);
  const turned = (M, v) => [0, 4, 8].map((r) => M[r] * v[0] + M[r + 1] * v[1] + M[r + 2] * v[2]);
  const aside = (a) => unit(cross(a, Math.abs(a[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
  const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

  /* ---- the state: one number per degree of freedom, positions of quaternions as roll, pitch, yaw --- */
  const state = {
    q: controls.map((c) => c.value),
    qd: controls.map(() => 0),
    qdd: controls.map(() => 0),
  };

  const quaternion = ([roll, pitch, yaw]) => {
    const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((x) => [Math.cos(x / 2), Math.sin(x / 2)]);
    return [
      cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
      cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
    ];
  };

  function position(values) {
    const q = [];
    controls.forEach(({ joint }, k) => {
      if (k !== joint.v) return;
      const own = (count) => values.slice(k, k + count);
      if (!joint.quaternion) q.push(...own(joint.nv));
      else q.push(...own(joint.nv - 3), ...quaternion(values.slice(k + joint.nv - 3, k + joint.nv)));
    });
    return q;
  }

  /* a motion as rows over time; between two of them a line, unless an angle jumps by 2π */
  function follow(rows, t) {
    const { times: at } = rows, last = at.length - 1;
    const k = Math.max(0, Math.min(last - 1, at.findIndex((x) => x > t) - 1)), part = (t - at[k]) / (at[k + 1] - at[k]);
    ["q", "qd", "qdd"].forEach((name) => {
      const [a, b] = [rows[name][k], rows[name][k + 1]];
      state[name] = t >= at[last] ? [...rows[name][last]] : a.map((x, i) => (Math.abs(b[i] - x) < Math.PI ? x + (b[i] - x) * part : x));
    });
    return t < at[last];
  }

  function swing(t) {
    if (scene.together) {
      follow(scene.together, t % scene.swing.period);
      return true;
    }
    const { amplitude, phase, period } = scene.swing, w = TAU / period;
    controls.forEach((c, k) => {
      const s = amplitude[k] * Math.sin(w * t + phase[k]), co = amplitude[k] * Math.cos(w * t + phase[k]);
      state.q[k] = c.value + s;
      state.qd[k] = w * co;
      state.qdd[k] = -w * w * s;
    });
    return true;
  }

  /* motions as rows, those that the page has: a simulated one, a planned one */
  const recorded = (name) => {
    const found = document.getElementById(name), rows = found && JSON.parse(found.textContent);
    return rows && ((t) => follow(rows, t));
  };
  const fall = recorded("fall"), motions = { swing, fall, planned: recorded("planned") };

  const zeros = controls.map(() => 0);
  /* gravity, then velocity (friction among it), then inertia: three parts that add up to the torque */
  function parts() {
    const q = position(state.q);
    const still = torques(q, zeros, zeros), coasting = torques(q, state.qd, zeros);
    const all = torques(q, state.qd, state.qdd);
    return all.map((x, k) => ({
      all: x, parts: [still[k], coasting[k] - still[k], x - coasting[k]],
    }));
  }

  const placed = (q) => {
    const all = placements(q);
    return (body) => (body < 0 ? STILL : all.slice(12 * body, 12 * body + 12));
  };
  const tool = (at) => moved(at(scene.tool.body), [3, 7, 11].map((k) => scene.tool.placement[k]));

  /* ---- shapes: convex pieces in the axes of a link ------------------------------------------------- */
  function prism(from, to, r0, r1, sides, steps = 1) {
    const along = sub(to, from), x = aside(unit(along)), y = cross(unit(along), x);
    const v = [], f = [];
    for (let s = 0; s <= steps; s++) {
      const centre = add(from, times(along, s / steps)), r = r0 + (r1 - r0) * (s / steps);
      for (let k = 0; k < sides; k++) {
        const a = TAU * (k + 0.5) / sides;
        v.push(add(centre, add(times(x, r * Math.cos(a)), times(y, r * Math.sin(a)))));
      }
    }
    for (let s = 0; s < steps; s++) {
      for (let k = 0; k < sides; k++) {
        const i = s * sides + k, j = s * sides + (k + 1) % sides;
        f.push([i, j, j + sides, i + sides]);
      }
    }
    const last = steps * sides;
    f.push(Array.from({ length: sides }, (_, k) => sides - 1 - k));
    f.push(Array.from({ length: sides }, (_, k) => last + k));
    return { v, f };
  }

  function ball(at, r, sides = 12, rings = 7) {
    const v = [], f = [];
    for (let s = 0; s <= rings; s++) {
      const h = Math.PI * s / rings;
      for (let k = 0; k < sides; k++) {
        const a = TAU * k / sides;
        v.push(add(at, [r * Math.sin(h) * Math.cos(a), r * Math.sin(h) * Math.sin(a), -r * Math.cos(h)]));
      }
    }
    for (let s = 0; s < rings; s++) {
      for (let k = 0; k < sides; k++) {
        const i = s * sides + k, j = s * sides + (k + 1) % sides;
        f.push([i, j, j + sides, i + sides]);
      }
    }
    return { v, f };
  }

  const lengths = new Map(scene.joints.map((j) => [j.body, []]));
  scene.links.forEach(({ body, points, to }) => {
    const long = points.slice(1).reduce((sum, p, k) => sum + norm(sub(p, points[k])), 0);
    if (body >= 0) lengths.get(body).push(long);
    if (to !== null) lengths.get(to).push(long);
  });
  const thick = 0.042 * scene.reach * Math.min(1, Math.sqrt(9 / scene.joints.length));
  const girth = (body) => {
    const own = (lengths.get(body) || []).filter((x) => x > 1e-6 * scene.reach);
    return Math.min(thick, 0.32 * Math.max(...own, 0.25 * thick));
  };

  function pieces() {
    const found = [];
    scene.links.forEach(({ body, points, to, tied }) => {
      const thin = 0.72 * Math.min(body < 0 ? thick : girth(body), to === null ? thick : girth(to));
      points.slice(1).forEach((p, k) => {
        const from = points[k], steps = Math.max(1, Math.min(8, Math.round(norm(sub(p, from)) / (3 * thin))));
        found.push({ body, look: body < 0 ? "base" : "link", ...prism(from, p, thin, thin, 12, steps) });
        if (k + 2 < points.length) found.push({ body, look: body < 0 ? "base" : "link", ...ball(p, thin) });
      });
      if (to === null) found.push({ body, look: tied ? "link" : "tool", ...ball(points[points.length - 1], 1.05 * thin) });
    });
    scene.joints.forEach(({ body, glyph, axis, parent, rest }, index) => {
      const r = girth(body);
      if (glyph === "slide") {
        const half = times(axis, 1.3 * r);
        found.push({ body: parent, look: "slide", joint: index, ...prism(sub(rest, half), add(rest, half), 1.5 * r, 1.5 * r, 4) });
      } else if (glyph === "ball") {
        found.push({ body, look: "joint", joint: index, ...ball([0, 0, 0], 1.3 * r) });
      } else if (glyph === "plane") {
        const half = times(axis, 0.35 * r);
        found.push({ body, look: "joint", joint: index, ...prism(times(half, -1), half, 2 * r, 2 * r, 4) });
      } else if (glyph) {
        const half = times(axis, 1.25 * r);
        found.push({ body, look: "joint", joint: index, ...prism(times(half, -1), half, 1.2 * r, 1.2 * r, 20) });
      } else {
        found.push({ body, look: "base", ...ball([0, 0, 0], 1.2 * r) });
      }
    });
    scene.limbs.forEach(({ body, points, faces }) => found.push({ body, look: body < 0 ? "base" : "link", ...divided(points, faces) }));
    return found;
  }

  /* large faces in small ones: which of two is in front is decided by their middles */
  function divided(points, faces, parts = 5) {
    const v = [], f = [];
    faces.forEach((face) => {
      const [a, b, c, d = c] = face.map((k) => points[k]), start = v.length;
      if (face.length > 4) { v.push(...face.map((k) => points[k])); f.push(face.map((_, k) => start + k)); return; }
      for (let i = 0; i <= parts; i++) {
        for (let j = 0; j <= parts; j++) {
          const [s, t] = [i / parts, j / parts];
          v.push(add(times(add(times(a, 1 - s), times(b, s)), 1 - t), times(add(times(d, 1 - s), times(c, s)), t)));
        }
      }
      for (let i = 0; i < parts; i++) {
        for (let j = 0; j < parts; j++) {
          const k = start + i * (parts + 1) + j;
          f.push([k, k + parts + 1, k + parts + 2, k + 1]);
        }
      }
    });
    return { v, f };
  }

  /* the shapes of a model's links: 16-bit numbers, x = low + step · number */
  const solids = JSON.parse(document.getElementById("meshes").textContent).map(({ body, low, step, v, f }) => {
    const numbers = (text) => new Uint16Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    return { body, v: Float64Array.from(numbers(v), (x, k) => low[k % 3] + step * x), f: numbers(f) };
  });
  const shaped = new Set(solids.map(({ body }) => body));

  const shapes = pieces();
  const rods = scene.joints.filter((j) => j.glyph === "slide" || j.glyph === "screw");

  /* ---- camera --------------------------------------------------------------------------------------- */
  const up = scene.up, east = aside(up), north = cross(up, east);
  const towards = unit(scene.towards);
  const first = { az: Math.atan2(dot(towards, north), dot(towards, east)), el: Math.asin(dot(towards, up)), zoom: 1 };
  const camera = { ...first };

  function swept() {
    const at = placed(position(controls.map((c) => c.value)));
    const points = shapes.flatMap(({ body, v }) => v.map((p) => moved(at(body), p)));
    solids.forEach(({ body, v }) => {
      for (let k = 0; k < v.length; k += 3 * Math.ceil(v.length / 900)) points.push(moved(at(body), [v[k], v[k + 1], v[k + 2]]));
    });
    return points;
  }
  const path = [];
  for (let k = 0; k <= 96; k++) {
    swing((scene.swing.period * k) / 96);
    path.push(tool(placed(position(state.q))));
  }
  const reached = swept();
  const bounds = [...reached, ...path];
  const low = [0, 1, 2].map((k) => Math.min(...bounds.map((p) => p[k])));
  const high = [0, 1, 2].map((k) => Math.max(...bounds.map((p) => p[k])));
  const target = times(add(low, high), 0.5);
  const radius = 0.5 * norm(sub(high, low)) || 1;
  const floor = Math.min(...bounds.map((p) => dot(p, up))) - 0.004 * scene.reach;

  let eye, right, top, size = [0, 0], focus = 1, fitting = 1;
  function look() {
    const level = add(times(east, Math.cos(camera.az)), times(north, Math.sin(camera.az)));
    eye = add(times(level, Math.cos(camera.el)), times(up, Math.sin(camera.el)));
    right = unit(cross(up, level));
    top = cross(eye, right);
    focus = camera.zoom * fitting;
  }
  /* the scale at which the robot and its path fill the canvas in the first view */
  function fill_view() {
    const own = { ...camera };
    Object.assign(camera, first);
    fitting = 1;
    look();
    const seen = bounds.map(project).map((p) => [Math.abs(p[0] - size[0] / 2), Math.abs(p[1] - size[1] * MIDDLE)]);
    fitting = Math.min(0.44 * size[0] / Math.max(...seen.map((p) => p[0])), 0.41 * size[1] / Math.max(...seen.map((p) => p[1])));
    Object.assign(camera, own);
  }
  const MIDDLE = 0.47; // where the target is on the canvas, from its top
  const FAR = 4.2; // radii from the target to the eye
  function project(p) {
    const d = sub(p, target), near = dot(d, eye);
    const s = focus / (1 - near / (FAR * radius));
    return [size[0] / 2 + s * dot(d, right), size[1] * MIDDLE - s * dot(d, top), near];
  }

  /* ---- drawing -------------------------------------------------------------------------------------- */
  const canvas = Object.assign(document.createElement("canvas"), { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${scene.robot} in three dimensions; arrow keys turn the view, + and - zoom`);
  const pen = canvas.getContext("2d");
  const shade = document.createElement("canvas"), shadow = shade.getContext("2d");
  let colours = {}, chosen = -1;

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
    colours = {
      link: rgb(read("--link")), base: rgb(read("--stand")), joint: rgb(read("--c0")), slide: rgb(read("--c2")),
      tool: rgb(read("--c1")), chosen: rgb(read("--c1")), rod: rgb(read("--link")),
      grid: read("--grid"), muted: read("--muted"), ink: read("--ink"), trail: read("--c1"), axes: [read("--x"), read("--y"), read("--z")],
    };
  }

  const light = unit([-0.35, 0.75, 0.55]);
  function lights(colour, normal) {
    const n = [dot(normal, right), dot(normal, top), dot(normal, eye)];
    const s = 0.55 + 0.36 * Math.max(0, dot(n, light)) + 0.14 * Math.max(0, n[2]);
    return colour.map((c) => Math.min(255, Math.round(c * s)));
  }
  const lit = (colour, normal) => `rgb(${lights(colour, normal).join(",")})`;

  const line = (from, to, colour, width, dash = []) => {
    pen.strokeStyle = colour; pen.lineWidth = width; pen.setLineDash(dash);
    pen.beginPath(); pen.moveTo(from[0], from[1]); pen.lineTo(to[0], to[1]); pen.stroke(); pen.setLineDash([]);
  };

  function ground() {
    const step = 10 ** Math.floor(Math.log10(scene.reach)) * (scene.reach / 10 ** Math.floor(Math.log10(scene.reach)) > 4 ? 1 : 0.25);
    const centre = add(target, times(up, floor - dot(target, up)));
    const count = Math.ceil((1.5 * radius) / step);
    const [e0, n0] = [Math.round(dot(centre, east) / step), Math.round(dot(centre, north) / step)];
    const point = (i, j) => project(add(add(times(east, (e0 + i) * step), times(north, (n0 + j) * step)), times(up, floor)));
    pen.globalAlpha = Math.min(1, Math.max(0, 6 * Math.abs(dot(eye, up))));
    for (let i = -count; i <= count; i++) {
      line(point(i, -count), point(i, count), colours.grid, 1);
      line(point(-count, i), point(count, i), colours.grid, 1);
    }
    pen.globalAlpha = 1;
  }

  function shadows(world) {
    if (dot(eye, up) <= 0.02) return;
    shadow.clearRect(0, 0, shade.width, shade.height);
    shadow.fillStyle = "#000";
    world.forEach(({ v, f }) => {
      const flat = v.map((p) => project(add(p, times(up, floor - dot(p, up)))));
      f.forEach((face) => {
        shadow.beginPath();
        face.forEach((i, k) => (k ? shadow.lineTo(flat[i][0], flat[i][1]) : shadow.moveTo(flat[i][0], flat[i][1])));
        shadow.fill();
      });
    });
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalAlpha = 0.13;
    pen.drawImage(shade, 0, 0);
    pen.restore();
  }

  function faces(world) {
    const found = [];
    world.forEach(({ v, f, look, joint }) => {
      const colour = joint !== undefined && joint === chosen ? colours.chosen : colours[look];
      const flat = v.map(project);
      f.forEach((face) => {
        const [a, b, c] = [face[0], face[1], face[2]].map((i) => v[i]);
        let normal = cross(sub(b, a), sub(c, a));
        if (norm(normal) === 0) normal = cross(sub(c, a), sub(v[face[face.length - 1]], a));
        normal = unit(normal);
        let area = 0, depth = 0;
        face.forEach((i, k) => {
          const p = flat[i], q = flat[face[(k + 1) % face.length]];
          area += p[0] * q[1] - q[0] * p[1];
          depth += p[2] / face.length;
        });
        if (area < 0) found.push({ depth, draw: () => fill(face.map((i) => flat[i]), lit(colour, normal)) });
      });
    });
    return found;
  }

  /* shapes of links, pixel by pixel: triangles go through each other, so the nearest is kept at every pixel */
  const grain = document.createElement("canvas"), paper = grain.getContext("2d");
  let image = null, pixels, depth;
  function raster(at, world) {
    const fine = Math.min(2, Math.sqrt(2e6 / (size[0] * size[1])));
    const [wide, high] = size.map((x) => Math.max(1, Math.round(x * fine)));
    if (!image || image.width !== wide || image.height !== high) {
      [grain.width, grain.height] = [wide, high];
      image = paper.createImageData(wide, high);
      pixels = new Uint32Array(image.data.buffer);
      depth = new Float32Array(wide * high);
    }
    pixels.fill(0);
    depth.fill(0);
    const flat = (p) => { const s = project(p); return [s[0] * fine, s[1] * fine, 1 / (1 - s[2] / (FAR * radius))]; };
    const paint = (a, b, c, P, Q, R, colour) => {
      const area = (Q[0] - P[0]) * (R[1] - P[1]) - (R[0] - P[0]) * (Q[1] - P[1]);
      if (!area) return;
      const x0 = Math.max(0, Math.floor(Math.min(P[0], Q[0], R[0]))), x1 = Math.min(wide - 1, Math.ceil(Math.max(P[0], Q[0], R[0])));
      const y0 = Math.max(0, Math.floor(Math.min(P[1], Q[1], R[1]))), y1 = Math.min(high - 1, Math.ceil(Math.max(P[1], Q[1], R[1])));
      let normal = unit(cross(sub(b, a), sub(c, a)));
      if (dot(normal, eye) < 0) normal = times(normal, -1);
      const [r, g, blue] = lights(colour, normal), rgba = (255 << 24) | (blue << 16) | (g << 8) | r;
      for (let y = y0; y <= y1; y++) {
        for (let x = x0; x <= x1; x++) {
          const px = x + 0.5, py = y + 0.5;
          const u = ((Q[0] - px) * (R[1] - py) - (R[0] - px) * (Q[1] - py)) / area;
          const v = ((R[0] - px) * (P[1] - py) - (P[0] - px) * (R[1] - py)) / area, w = 1 - u - v;
          if (u < 0 || v < 0 || w < 0) continue;
          const near = u * P[2] + v * Q[2] + w * R[2], k = y * wide + x;
          if (near > depth[k]) { depth[k] = near; pixels[k] = rgba; }
        }
      }
    };
    const marked = chosen >= 0 ? scene.joints[chosen].body : -2;
    solids.forEach(({ body, v, f }) => {
      const M = at(body), points = [];
      for (let k = 0; k < v.length; k += 3) points.push(moved(M, [v[k], v[k + 1], v[k + 2]]));
      const seen = points.map(flat), colour = body === marked ? colours.chosen : colours[body < 0 ? "base" : "link"];
      for (let k = 0; k < f.length; k += 3) {
        const [a, b, c] = [f[k], f[k + 1], f[k + 2]];
        paint(points[a], points[b], points[c], seen[a], seen[b], seen[c], colour);
      }
    });
    world.forEach(({ v, f, look, joint }) => {
      const seen = v.map(flat), colour = joint !== undefined && joint === chosen ? colours.chosen : colours[look];
      f.forEach((face) => {
        for (let k = 2; k < face.length; k++) {
          const [a, b, c] = [face[0], face[k - 1], face[k]];
          paint(v[a], v[b], v[c], seen[a], seen[b], seen[c], colour);
        }
      });
    });
    paper.putImageData(image, 0, 0);
    pen.drawImage(grain, 0, 0, size[0], size[1]);
  }

  function fill(points, colour) {
    pen.fillStyle = pen.strokeStyle = colour;
    pen.lineWidth = 0.8;
    pen.beginPath();
    points.forEach((p, k) => (k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
    pen.closePath(); pen.fill(); pen.stroke();
  }

  const trail = [];
  function lines() {
    const along = (points, colour, width, fade) => points.slice(1).map((p, k) => {
      const [a, b] = [project(points[k]), project(p)];
      return { depth: (a[2] + b[2]) / 2, draw: () => {
        pen.globalAlpha = fade ? 0.15 + (0.85 * k) / points.length : 0.45;
        line(a, b, colour, width, fade ? [] : [2, 4]);
        pen.globalAlpha = 1;
      } };
    });
    return options.trail ? [...along(path, colours.trail, 1.4, false), ...along(trail, colours.trail, 2.2, true)] : [];
  }

  function triad(M, long) {
    const origin = moved(M, [0, 0, 0]), from = project(origin);
    [0, 1, 2].forEach((k) => {
      const tip = project(add(origin, times(turned(M, [0, 1, 2].map((i) => +(i === k))), long)));
      line(from, tip, colours.axes[k], 2);
    });
  }

  function gravity() {
    const strength = norm(scene.gravity);
    if (!strength) return;
    const d = unit(scene.gravity), long = 30, from = [26, 34];
    const tip = [from[0] + long * dot(d, right), from[1] - long * dot(d, top)];
    line(from, tip, colours.muted, 2);
    const a = Math.atan2(tip[1] - from[1], tip[0] - from[0]);
    if (Math.hypot(tip[0] - from[0], tip[1] - from[1]) > 6) {
      fill([0, 2.6, -2.6].map((t, k) => [tip[0] - (k ? 8 * Math.cos(a + t / 6) : -2 * Math.cos(a)), tip[1] - (k ? 8 * Math.sin(a + t / 6) : -2 * Math.sin(a))]), colours.muted);
    }
    pen.fillStyle = colours.muted; pen.font = "12px system-ui, sans-serif";
    pen.fillText(`gravity ${+strength.toPrecision(4)} m/s²`, 42, 38);
  }

  function compose(A, B) {
    const R = [0, 4, 8].flatMap((r) => [0, 1, 2, 3].map((c) => A[r] * B[c] + A[r + 1] * B[4 + c] + A[r + 2] * B[8 + c] + (c === 3 ? A[r + 3] : 0)));
    return R;
  }

  function draw() {
    if (!size[0]) return;
    look();
    const at = placed(position(state.q));
    pen.clearRect(0, 0, size[0], size[1]);
    const world = shapes.map((s) => ({ ...s, v: s.v.map((p) => moved(at(s.body), p)) }));
    rods.forEach(({ body, parent, rest }) => {
      const from = moved(at(parent), rest), to = moved(at(body), [0, 0, 0]);
      if (norm(sub(to, from)) > 1e-6 * scene.reach) {
        const r = 0.55 * girth(body);
        world.push({ look: "rod", ...prism(from, to, r, r, 12, 6) });
      }
    });
    scene.ties.forEach(({ rod, bodies, points }) => {
      const [a, b] = points.map((p, k) => moved(at(bodies[k]), p)), r = 0.3 * thick;
      if (rod) world.push({ look: "rod", ...prism(a, b, r, r, 8, 8) });
      (rod ? [a, b] : [b]).forEach((p) => world.push({ look: "joint", ...ball(p, rod ? 1.5 * r : 0.9 * thick) }));
    });
    ground();
    shadows(world);
    if (options.shapes && solids.length) {
      raster(at, world.filter(({ body }) => body !== undefined && !shaped.has(body)));
      lines().forEach((item) => item.draw());
    } else [...faces(world), ...lines()].sort((a, b) => a.depth - b.depth).forEach((item) => item.draw());
    triad(STILL, 0.16 * scene.reach);
    triad(compose(at(scene.tool.body), scene.tool.placement), 0.12 * scene.reach);
    if (options.frames) scene.frames.forEach((after, b) => triad(compose(at(b), after), 0.09 * scene.reach));
    gravity();
    document.dispatchEvent(new Event("drawn"));
  }

  let waiting = false;
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  /* ---- what a person touches ------------------------------------------------------------------------ */
  const make = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const options = { frames: false, trail: true, shapes: true };
  const MODES = { q: ["Position", ""], qd: ["Velocity", "/s"], qdd: ["Acceleration", "/s²"] };
  let mode = "q";

  const stage = make("div", "stage"), panel = make("div", "panel");
  const tools = make("div", "tools"), rows = make("div", "rows");
  stage.append(canvas, tools);
  root.append(stage, panel);

  const button = (text, title, act) => {
    const b = make("button", "", text);
    b.type = "button"; b.title = title; b.addEventListener("click", () => act(b));
    return b;
  };
  const players = new Map();
  const player = (text, title, motion) => {
    const b = button(`▶ ${text}`, title, () => (running && moving === motion ? pause() : start(motion)));
    players.set(motion, [b, text]);
    return b;
  };
  const toggle = (name, text, title) => {
    const b = button(text, title, () => { options[name] = !options[name]; b.setAttribute("aria-pressed", options[name]); soon(); });
    b.setAttribute("aria-pressed", options[name]);
    return b;
  };
  tools.append(
    player("Play", "Swing every joint about this pose", swing),
    ...(fall ? [player("Let go", "Fall from rest, as simulated", fall)] : []),
    toggle("frames", "Frames", "Show the frame of every link: x red, y green, z blue"),
    ...(solids.length ? [toggle("shapes", "Shapes", "Show the links as the model shapes them, or as lines between joints")] : []),
    toggle("trail", "Trail", "Show the path of the tool"),
    ...[["+", "Zoom in", 1.25], ["−", "Zoom out", 0.8]].map(([text, title, factor]) => {
      const b = button(text, title, () => zoom(factor));
      b.className = "zoom";
      return b;
    }),
    button("Reset", "The first pose and view again", reset),
  );

  const tabs = make("div", "tabs");
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "What the sliders move");
  Object.entries(MODES).forEach(([key, [text]]) => {
    const b = button(text, `Sliders move the ${text.toLowerCase()}`, () => { mode = key; show(); });
    b.dataset.mode = key;
    tabs.append(b);
  });
  if (dynamic) {
    panel.append(tabs);
    const legend = make("p", "legend");
    ["gravity", "velocity and friction", "inertia"].forEach((text, k) => legend.append(make("i", `part part${k}`), text));
    panel.append(legend);
  }
  rows.classList.toggle("long", controls.some((c) => c.name.length > 12));
  panel.append(rows);

  const ends = (c) => ({ q: c.ends, qd: [-c.speed, c.speed], qdd: [-c.acceleration, c.acceleration] })[mode];
  /* a torque to read: what rounding leaves of none is 0 */
  const felt = (x) => (Math.abs(x) <= scene.noise * Math.max(...Object.values(scale)) ? 0 : x);
  /* the digits of a slider that a hand can set, so that a command says exactly where it stands */
  const rounded = (x, [low, high]) => {
    const step = 10 ** (Math.floor(Math.log10(high - low || 1)) - 4);
    return Math.min(high, Math.max(low, Number((Math.round(x / step) * step).toPrecision(12))));
  };
  const shown = (x) => {
    const text = Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4));
    return text.replaceAll("-", "−");
  };

  const lists = controls.map((c, k) => {
    const row = make("div", "row"), slider = make("input");
    const label = make("label", "", c.name), value = make("output", "value");
    slider.type = "range"; slider.step = "any"; slider.id = `slider-${k}`;
    slider.disabled = Boolean(scene.together); // joints of a closed chain do not move one by one
    label.htmlFor = slider.id; label.title = c.name;
    slider.addEventListener("input", () => {
      pause();
      state[mode][k] = rounded(Number(slider.value), ends(c));
      if (mode === "q") { trail.push(tool(placed(position(state.q)))); if (trail.length > 400) trail.shift(); }
      update();
    });
    const pick = (on) => { chosen = on ? scene.joints.findIndex((j) => c.name === j.name || c.name.startsWith(`${j.name} `)) : -1; soon(); };
    slider.addEventListener("focus", () => pick(true));
    slider.addEventListener("blur", () => pick(false));
    row.append(label, slider, value);
    let torque = null, bars = [];
    if (dynamic) {
      const bar = make("span", "torque-bar");
      bars = [0, 1, 2].map((part) => make("i", `part${part}`));
      bar.append(...bars);
      torque = make("output", "torque");
      torque.setAttribute("for", slider.id);
      row.append(bar, torque);
    }
    rows.append(row);
    return { slider, value, torque, bars };
  });

  /* the commands of this state: what sliders move is written as an option takes it */
  const shown_as = { draw: "#view > .command code", torque: "#torque-command code" };
  const followed = Object.entries(shown_as).map(([name, where]) => [document.querySelector(where), scene.commands[name]]).filter(([code]) => code);
  const written = (values) => values.map((x) => String(+x.toPrecision(7))).join(",");
  function command() {
    const values = { q: position(state.q), qd: state.qd, qdd: state.qdd };
    followed.forEach(([code, words]) => { code.textContent = `$ strobe ${words.map((word, k) => (k % 2 ? written(values[word]) : word)).join("")}`; });
  }

  const scale = {};
  function widen(found) {
    found.forEach(({ parts: three }, k) => {
      const u = controls[k].torque_unit;
      const reach = Math.max(three.reduce((s, x) => s + Math.max(0, x), 0), three.reduce((s, x) => s + Math.max(0, -x), 0));
      scale[u] = Math.max(scale[u] || 1e-12, reach);
    });
  }

  function show() {
    tabs.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", b.dataset.mode === mode));
    lists.forEach(({ slider }, k) => {
      [slider.min, slider.max] = ends(controls[k]);
      slider.setAttribute("aria-label", `${MODES[mode][0]} of ${controls[k].name}`);
    });
    update();
  }

  function update() {
    const found = dynamic ? parts() : [];
    if (dynamic) widen(found);
    lists.forEach(({ slider, value, torque, bars }, k) => {
      const c = controls[k], x = state[mode][k];
      slider.value = x;
      value.textContent = `${shown(x)} ${c.unit}${MODES[mode][1]}`;
      slider.setAttribute("aria-valuetext", value.textContent);
      if (!torque) return;
      torque.textContent = `${shown(felt(found[k].all))} ${c.torque_unit}`;
      torque.dataset.value = found[k].all;
      let [left, rightwards] = [50, 50];
      found[k].parts.forEach((p, i) => {
        const wide = (48 * Math.abs(p)) / scale[c.torque_unit];
        bars[i].style.width = `${wide}%`;
        if (p < 0) left -= wide;
        bars[i].style.left = `${p < 0 ? left : rightwards}%`;
        if (p >= 0) rightwards += wide;
      });
    });
    command();
    soon();
  }

  let running = 0, clock = 0, moving = swing;
  function frame(now) {
    if (!running) return;
    if (running > 1) clock += Math.min(0.05, (now - running) / 1000);
    running = now;
    if (!moving(clock)) pause();
    trail.push(tool(placed(position(state.q))));
    if (trail.length > 110) trail.shift();
    update();
    tell();
    if (running) requestAnimationFrame(frame);
  }
  /* who marks instants in plots hears which one is shown */
  function tell() {
    const motion = Object.keys(motions).find((name) => motions[name] === moving);
    const t = moving === swing ? clock % scene.swing.period : clock;
    document.dispatchEvent(new CustomEvent("instant", { detail: { motion, t } }));
  }
  /* the robot at an instant of a motion, if the page has that motion */
  function at(motion, t) {
    if (!motions[motion]) return false;
    pause();
    moving = motions[motion]; clock = t; trail.length = 0;
    moving(t);
    update();
    return true;
  }
  const label = () => players.forEach(([b, text], motion) => { b.textContent = running && moving === motion ? "❚❚ Pause" : `▶ ${text}`; });
  function start(motion) {
    if (motion !== moving || motion === fall) clock = 0;
    if (!running) requestAnimationFrame(frame);
    moving = motion; trail.length = 0; running = 1;
    label();
  }
  function pause() { running = 0; label(); }
  function reset() {
    pause();
    Object.assign(camera, first);
    state.q = controls.map((c) => c.value); state.qd = [...zeros]; state.qdd = [...zeros];
    trail.length = 0; clock = 0;
    update();
  }
  function zoom(factor) { camera.zoom = Math.min(12, Math.max(0.3, camera.zoom * factor)); soon(); }
  function turn(x, y) {
    camera.az -= x;
    camera.el = Math.min(1.5, Math.max(-1.5, camera.el + y));
    soon();
  }

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.offsetX, e.offsetY]); });
  canvas.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const here = [e.offsetX, e.offsetY], other = [...fingers].find(([id]) => id !== e.pointerId);
    if (other) {
      const gap = (p) => Math.hypot(p[0] - other[1][0], p[1] - other[1][1]) || 1;
      zoom(gap(here) / gap(before));
    } else turn((here[0] - before[0]) * 0.008, (here[1] - before[1]) * 0.008);
    fingers.set(e.pointerId, here);
  });
  ["pointerup", "pointercancel"].forEach((name) => canvas.addEventListener(name, (e) => fingers.delete(e.pointerId)));
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && document.activeElement !== canvas) return; // the page scrolls until the robot is clicked
    e.preventDefault();
    zoom(Math.exp(-0.0015 * e.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
    if (keys[e.key]) turn(...keys[e.key]);
    else if (e.key === "+" || e.key === "=") zoom(1.15);
    else if (e.key === "-") zoom(1 / 1.15);
    else return;
    e.preventDefault();
  });

  function fit() {
    if (!stage.clientWidth) return;
    const dense = window.devicePixelRatio || 1;
    size = [stage.clientWidth, stage.clientHeight]; // without the border, or the picture is blurred
    [canvas, shade].forEach((c) => { [c.width, c.height] = size.map((x) => Math.round(x * dense)); });
    [pen, shadow].forEach((p) => p.setTransform(dense, 0, 0, dense, 0, 0));
    fill_view();
    draw();
  }

  if (dynamic) for (let k = 0; k < 24; k++) { swing((scene.swing.period * k) / 24); widen(parts()); }
  reset();
  theme();
  show();
  new ResizeObserver(fit).observe(stage);
  document.addEventListener("themechange", () => { theme(); soon(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { theme(); soon(); });

  window.strobe = {
    state: () => ({ q: position(state.q), qd: [...state.qd], qdd: [...state.qdd] }),
    at, canvas,
    torques: () => (dynamic ? torques(position(state.q), state.qd, state.qdd) : null),
  };
})();
