// The interpreter that runs the student's code. Nothing forks in a browser: a copy of its memory
// is put back before each run, which so begins in a fresh interpreter and leaves nothing behind.

const LARGEST_FILE = 2 ** 20; // as the kernel lets none become larger elsewhere
const PREPARING = 30; // seconds to compile the student's code
const [SIGINT, SIGPROF] = [2, 27];
const [KILLED, CRASHED] = [-9, -11]; // as signals end a process, the second one whose stack is full
const [EFBIG, EINTR, EPERM] = [22, 27, 63]; // as this file system numbers them
const [TERMINAL, PIPE] = ["/dev/terminal", "/dev/pipe"];
const [QUESTIONS, ANSWERS] = ["/dev/questions", "/dev/answers"];

// What Python needs of the worker: files, clocks, chance, and what unwinds and calls for it.
const NEEDED = new RegExp("^(" + [
  "invoke_.*", "__syscall.*", "(fd|environ|clock|random)_.*", "__cxa_.*", "__resumeException", "_Py.*", "ffi_.*",
  "_?emscripten_(get_.*|resize_heap|date_now|throw_longjmp|memcpy_js|runtime_keepalive_.*)", "getentropy",
  "_(gmtime|localtime|mktime|timegm|tzset|mmap|munmap|msync)_js", "strftime.*", "(proc_)?exit", "__call_sighandler",
  "get(addr|name)info", "getprotobyname", "gethostby.*", "_try_(fcntl64|shutdown)", "_maybe_poll_async",
].join("|") + ")$");

class Ended extends Error { // unwinds all running code
  status = KILLED;
}

// The interpreter that `load` loads. Once it is `closed`, its code has no ways into the worker but
// those that it needs: those of Pyodide lead to every object that there is.
export async function enclosed(load) {
  const inner = { closed: false, pending: () => 0 };
  const real = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    const ways = imports.env;
    for (const [name, way] of Object.entries(ways)) {
      if (typeof way !== "function" || NEEDED.test(name)) continue;
      const guarded = (...given) => { if (inner.closed) throw new Error(`${name} is closed`); return way(...given); };
      ways[name] = Object.assign(guarded, way);
    }
    ways._Py_CheckEmscriptenSignals_Helper = () => inner.pending(); // Python's own would catch the exception
    const { body } = await source; // a file server may not know WebAssembly files
    const typed = new Response(body, { headers: { "Content-Type": "application/wasm" } });
    return real.call(WebAssembly, typed, imports);
  };
  inner.python = await load();
  WebAssembly.instantiateStreaming = real;
  return inner;
}

export class Machine {
  // `boot` defines what takes `modules`, the first message.
  constructor(inner, boot, modules) {
    this.module = inner.python._module;
    this.files = this.module.FS;
    this.inbox = modules;
    [this.shown, this.made] = [[], []]; // output not told yet; all new files
    this.prepared = new Map();
    this.memory = this.deadline = this.timer = Infinity;
    this.makeDevices();
    const command = (text) => this.module.stringToNewUTF8(text);
    const start = command(`${boot}\nserver = boot("${TERMINAL}", "${PIPE}", "${QUESTIONS}", "${ANSWERS}")`);
    [this.prepare, this.work] = [command("server.prepare()"), command("server.run()")];
    const status = this.module._PyRun_SimpleString(start);
    const told = this.shown.splice(0).map((bytes) => new TextDecoder().decode(bytes));
    if (status !== 0) throw new Error(told.join(""));
    this.limitMemory();
    this.closeFiles();
    inner.python.setInterruptBuffer(new Uint8Array(1)); // Python asks from now on
    inner.pending = () => this.pending();
    this.clean = this.keep();
    inner.closed = true;
  }

  // What Python asks between two instructions: a signal that waits for it, or 0.
  pending() {
    const now = performance.now();
    this.passed = now > this.deadline;
    if (this.passed) throw new Ended();
    if (this.interrupted) { this.interrupted = false; return SIGINT; }
    if (now > this.timer) { this.timer = Infinity; return SIGPROF; }
    return 0;
  }

  limitMemory() {
    const machine = this, grow = WebAssembly.Memory.prototype.grow;
    WebAssembly.Memory.prototype.grow = function (pages) {
      const isOurs = this.buffer === machine.module.HEAPU8.buffer;
      if (isOurs && this.buffer.byteLength + 65536 * pages > machine.memory) throw new RangeError();
      return grow.call(this, pages);
    };
  }

  makeDevices() {
    const { files } = this;
    const part = (buffer, offset, length) => buffer.slice(offset, offset + length);
    const none = { c_iflag: 0, c_oflag: 0, c_cflag: 0, c_lflag: 0, c_cc: [] };
    const tty = { ops: { ioctl_tiocgwinsz: () => [24, 80], ioctl_tcgets: () => none } };
    const device = (name, minor, operations, more) => {
      const open = (stream) => Object.assign(stream, { seekable: false }, more);
      files.registerDevice(files.makedev(70, minor), { open, close() {}, ...operations });
      files.mkdev(name, 0o666, files.makedev(70, minor));
    };
    device(TERMINAL, 0, {
      read: (stream, ...place) => this.type(...place),
      write: (stream, buffer, offset, length) => {
        if (this.shown.push(part(buffer, offset, length)) > 1000 || length > 2 ** 16) this.show();
        return length;
      },
    }, { tty });
    device(PIPE, 3, { // the system's own never end
      read: (stream, ...place) => this.take("piped", ...place),
      write: (stream, buffer, offset, length) => {
        const whole = new Uint8Array(this.piped.length + length);
        if (whole.length > LARGEST_FILE) throw new files.ErrnoError(EFBIG);
        whole.set(this.piped);
        whole.set(part(buffer, offset, length), this.piped.length);
        this.piped = whole;
        return length;
      },
    });
    device(QUESTIONS, 1, { read: (stream, ...place) => this.take("inbox", ...place) });
    device(ANSWERS, 2, { write: (stream, buffer, offset, length) => {
      this.show();
      this.ask("said", part(buffer, offset, length));
      return length;
    } });
  }

  // Ask the one that judges; the time that takes is not the program's.
  ask(what, ...given) {
    const before = performance.now();
    const answer = this.monitor[what](...given);
    this.extend((performance.now() - before) / 1000);
    if (answer === false || answer === undefined || answer === null) throw new Ended();
    return answer;
  }

  show() {
    const parts = this.shown.splice(0);
    if (!parts.length) return;
    const bytes = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
    let at = 0;
    for (const each of parts) { bytes.set(each, at); at += each.length; }
    this.ask("shown", bytes);
  }

  take(from, buffer, offset, length) {
    const part = this[from].subarray(0, length);
    buffer.set(part, offset);
    this[from] = this[from].subarray(part.length);
    return part.length;
  }

  type(buffer, offset, length) {
    if (!this.typed.length && length) {
      this.show();
      this.typed = this.ask("typed").toJs();
      if (this.typed.length === 1 && this.typed[0] === 3) {
        [this.typed, this.interrupted] = [new Uint8Array(), true];
        throw new this.files.ErrnoError(EINTR);
      }
    }
    return this.take("typed", buffer, offset, length);
  }

  extend(seconds) { for (const time of ["deadline", "begun"]) this[time] += 1000 * seconds; }

  interrupt_after(seconds) { this.timer = seconds ? performance.now() + 1000 * seconds : Infinity; }

  run(setup, job, monitor, seconds, memory) {
    this.monitor = monitor;
    const key = setup.__hash__();
    if (!this.prepared.has(key)) {
      this.restore(this.clean);
      const end = this.call(this.prepare, setup, PREPARING, memory);
      if (end.exit_code !== 0) return { ...end, began: false };
      const [, last] = this.prepared.keys(); // the first one reads programs: it stays
      this.prepared.delete(last);
      this.prepared.set(key, this.keep());
    }
    this.restore(this.prepared.get(key));
    const end = this.call(this.work, job, seconds, memory);
    return { ...end, began: true };
  }

  call(command, message, seconds, memory) {
    this.inbox = message.toJs();
    this.memory = this.clean.bytes.length + memory;
    [this.typed, this.piped] = [new Uint8Array(), new Uint8Array()];
    [this.passed, this.interrupted] = [false, false];
    this.begun = performance.now();
    this.deadline = this.begun + 1000 * seconds;
    let exit_code = 0;
    try {
      exit_code = this.module._PyRun_SimpleString(command);
    } catch (error) {
      exit_code = error.status ?? CRASHED;
    }
    try { this.show(); } catch { /* ended for too much of it */ }
    const taken = (performance.now() - this.begun) / 1000;
    this.shown = [];
    this.memory = this.deadline = this.timer = Infinity;
    return { exit_code, seconds: taken, passed: this.passed };
  }

  // The memory as it is now, outside of a call: no stack belongs to it.
  keep() {
    const { module, files } = this;
    const bytes = module.HEAPU8.slice(0, this.end());
    return { bytes, stack: module.___stack_pointer.value, streams: files.streams.slice(), at: files.cwd() };
  }

  end() { return this.module.HEAPU32[this.module._emscripten_get_sbrk_ptr() >> 2]; }

  restore({ bytes, stack, streams, at }) {
    const { module, files } = this;
    const end = this.end();
    module.HEAPU8.set(bytes);
    if (end > bytes.length) module.HEAPU8.fill(0, bytes.length, end);
    module.___stack_pointer.value = stack;
    files.streams.splice(0, Infinity, ...streams);
    streams.forEach((stream, number) => { if (stream) stream.fd = number; });
    files.currentPath = at;
    for (const node of this.made.splice(0).reverse()) {
      files.destroyNode(node);
      if (node.parent.contents) delete node.parent.contents[node.name];
    }
  }

  // Let nothing be written but in a scenario's folder, and no large file; know the new files there.
  closeFiles() {
    const { files } = this;
    const close = (node) => {
      if (files.isChrdev(node.mode)) return;
      node.mode &= ~0o222;
      if (files.isDir(node.mode)) Object.values(node.contents ?? {}).forEach(close);
    };
    const { folder, ...others } = files.root.contents;
    Object.values(others).forEach(close);
    files.root.mode &= ~0o222;
    const { createNode } = files;
    files.createNode = (...given) => {
      this.made.push(createNode.apply(files, given));
      return this.made.at(-1);
    };
    const kinds = files.filesystems.MEMFS.ops_table;
    const { write } = kinds.file.stream;
    kinds.file.stream.write = (stream, buffer, offset, length, position, ...more) => {
      if (position + length > LARGEST_FILE) throw new files.ErrnoError(EFBIG);
      return write(stream, buffer, offset, length, position, ...more);
    };
    for (const { node: operations } of Object.values(kinds)) {
      const { setattr } = operations; // its rights, its times, its size
      operations.setattr = (node, changed) => {
        if (!this.made.includes(node)) throw new files.ErrnoError(EPERM);
        if (changed.size > LARGEST_FILE) throw new files.ErrnoError(EFBIG);
        setattr(node, changed);
      };
    }
  }
}
