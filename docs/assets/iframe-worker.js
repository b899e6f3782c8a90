// Opened from a folder, a page may start no Worker. The search then runs in a hidden frame of the same page.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.title = "search"
      document.body.append(frame)
      const inner = frame.contentWindow
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inner.document.createElement("script")
      script.src = address
      this.loaded = new Promise((done) => script.addEventListener("load", () => done(inner)))
      inner.document.body.append(script)
    }
    postMessage(data) {
      this.loaded.then((inner) => inner.dispatchEvent(new inner.MessageEvent("message", { data })))
    }
    terminate() {}
  }
  window.Worker = window.IFrameWorker
}
