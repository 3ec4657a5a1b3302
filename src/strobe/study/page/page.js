/* The theme, and buttons that copy. */
"use strict";

(() => {
  const page = document.documentElement;
  page.classList.add("script");

  const dark = () => (page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  document.addEventListener("click", async (e) => {
    const button = e.target.closest("button[data-act]");
    if (!button) return;
    if (button.dataset.act === "theme") {
      page.dataset.theme = dark() ? "light" : "dark";
      document.dispatchEvent(new Event("themechange"));
    } else if (button.dataset.act === "copy") {
      const source = button.dataset.from ? document.getElementById(button.dataset.from) : button.previousElementSibling;
      const text = source.textContent.replace(/^\$ /, "");
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(source); // where the clipboard is out of reach, the text is at least marked
        button.textContent = "marked";
      }
      setTimeout(() => { button.textContent = button.dataset.text; }, 1500);
    }
  });
})();
