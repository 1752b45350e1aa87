
(() => {
  const held = document.currentScript.dataset.page;
  const events = new EventSource("/-/events?of=" + encodeURIComponent(location.pathname));
  events.onmessage = (e) => {
    if (e.data === "" || e.data === held) return;
    events.close();
    location.reload();
  };
})();
