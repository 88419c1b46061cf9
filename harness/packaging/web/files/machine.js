// The interpreter that runs what a student wrote. Nothing forks in a browser: a copy of its memory
// is put back before each run, which so begins in a fresh interpreter and leaves nothing behind.

const MEBIBYTE = 2 ** 20;
const LARGEST_FILE = MEBIBYTE; // as the kernel lets none become larger elsewhere
const MOST_FILES = 301; // of a scenario's folder; one more than are shown
const PREPARING = 30; // seconds to compile what a student wrote
const LISTENING = 300; // milliseconds in which it leaves that is told to
const [SIGINT, SIGXCPU, SIGPROF] = [2, 24, 27];
const CRASHED = -11; // as the signal of a process whose stack is full
const [EFBIG, EINTR, EPERM] = [22, 27, 63]; // as this file system numbers them
const [TERMINAL, QUESTIONS, ANSWERS] = ["/dev/terminal", "/dev/questions", "/dev/answers"];
const [EMPTY, FOLDER] = ["/empty", "/folder"]; // where scenarios run: those that need a folder in that

// What Python needs of the worker: files, clocks, chance, and what unwinds and calls for it.
const NEEDED = new RegExp("^(" + [
  "invoke_.*", "__syscall.*", "(fd|environ|clock|random)_.*", "__cxa_.*", "__resumeException", "_Py.*", "ffi_.*",
  "_?emscripten_(get_.*|resize_heap|date_now|throw_longjmp|memcpy_js|runtime_keepalive_.*)", "getentropy",
  "_(gmtime|localtime|mktime|timegm|tzset|mmap|munmap|msync)_js", "strftime.*", "(proc_)?exit", "__call_sighandler",
  "get(addr|name)info", "getprotobyname", "gethostby.*", "_try_(fcntl64|shutdown)", "_maybe_poll_async",
].join("|") + ")$");

class Ended extends Error {} // unwinds whatever runs

// The interpreter that `load` loads, and what takes from its code all ways into the worker but
// those that it needs: those of Pyodide lead to every object that there is.
export async function enclosed(load) {
  let closed = false;
  const names = ["instantiate", "instantiateStreaming"];
  const real = names.map((name) => WebAssembly[name]);
  const enclose = (ways) => {
    for (const [name, way] of Object.entries(ways ?? {})) {
      if (typeof way !== "function" || NEEDED.test(name)) continue;
      const guarded = (...given) => { if (closed) throw new Error(`${name} is closed`); return way(...given); };
      ways[name] = Object.assign(guarded, way);
    }
  };
  names.forEach((name, number) => {
    WebAssembly[name] = (source, imports, ...more) => {
      enclose(imports?.env);
      return real[number].call(WebAssembly, source, imports, ...more);
    };
  });
  const python = await load();
  names.forEach((name, number) => { WebAssembly[name] = real[number]; });
  return { python, close: () => { closed = true; } };
}

export class Machine {
  // `judge` is the interpreter that judges; `boot` defines what takes `modules`, the first message.
  constructor({ python, close }, judge, boot, modules) {
    this.module = python._module;
    this.files = this.module.FS;
    this.judgeFiles = judge.FS;
    this.inbox = framed(modules);
    [this.shown, this.made] = [[], []]; // of output what is not told yet, of files all that are new
    this.prepared = new Map();
    this.memory = this.deadline = this.timer = Infinity;
    this.makeDevices();
    [EMPTY, FOLDER].forEach((name) => this.files.mkdir(name));
    const command = (text) => this.module.stringToNewUTF8(text);
    const start = command(`${boot}\nserver = boot("${TERMINAL}", "${QUESTIONS}", "${ANSWERS}")`);
    [this.prepare, this.work] = [command("server.prepare()"), command("server.run()")];
    let told = "";
    this.monitor = { shown: (bytes) => { told += new TextDecoder().decode(bytes); return true; } };
    const status = this.module._PyRun_SimpleString(start);
    this.show();
    if (status !== 0) throw new Error(told);
    this.limitMemory();
    this.closeFiles();
    const pending = () => this.pending();
    python.setInterruptBuffer({ get 0() { return pending(); }, set 0(value) {} });
    this.clean = this.keep();
    close();
  }

  // What Python asks between two instructions: a signal that waits for it, or 0.
  pending() {
    const now = performance.now();
    if (this.interrupted) { this.interrupted = false; return SIGINT; }
    if (now > this.deadline) {
      if (this.passed) throw new Ended(); // it does not listen
      [this.deadline, this.passed] = [now + LISTENING, true];
      return SIGXCPU;
    }
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
        if (this.shown.push(part(buffer, offset, length)) > 1000 || length > MEBIBYTE / 16) this.show();
        return length;
      },
    }, { tty });
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
    if (monitor.folder) this.copy(FOLDER, monitor.folder, MOST_FILES);
    return { ...end, began: true };
  }

  call(command, message, seconds, memory) {
    this.inbox = framed(message.toJs());
    this.memory = this.clean.bytes.length + memory;
    [this.typed, this.passed, this.interrupted] = [new Uint8Array(), false, false];
    this.begun = performance.now();
    this.deadline = this.begun + 1000 * seconds;
    let exit_code = 0;
    try {
      exit_code = this.module._PyRun_SimpleString(command);
    } catch (error) {
      if (!(error instanceof Ended)) exit_code = error.name === "ExitStatus" ? error.status : CRASHED;
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

  // Let nothing be written but in a scenario's folder, and no large file; know what is made there.
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
    const { createNode, write } = files;
    files.createNode = (...given) => {
      this.made.push(createNode.apply(files, given));
      return this.made.at(-1);
    };
    files.write = (stream, buffer, offset, length, position, ...more) => {
      const end = (position ?? stream.position) + length;
      if (files.isFile(stream.node.mode) && end > LARGEST_FILE) throw new files.ErrnoError(EFBIG);
      return write.call(files, stream, buffer, offset, length, position, ...more);
    };
    for (const name of ["chmod", "fchmod", "lchmod", "chown", "fchown", "lchown", "utime"]) {
      const change = files[name];
      const found = (path) => files.lookupPath(path, { follow: !name.startsWith("l") }).node;
      files[name] = (place, ...given) => { // a path, the number of a stream, or what was found already
        const node = typeof place === "number" ? files.getStream(place)?.node : place;
        if (!this.made.includes(typeof node === "string" ? found(node) : node)) throw new files.ErrnoError(EPERM);
        return change.call(files, place, ...given);
      };
    }
  }

  // Copy what a program left in its folder to where it is looked at.
  copy(from, to, left) {
    const { files, judgeFiles } = this;
    for (const name of files.readdir(from)) {
      const [source, target] = [`${from}/${name}`, `${to}/${name}`];
      if (name === "." || name === ".." || left-- <= 0) continue;
      const { mode } = files.lstat(source);
      if (files.isDir(mode)) { judgeFiles.mkdir(target); this.copy(source, target, left); }
      if (files.isLink(mode)) judgeFiles.symlink("nowhere", target);
      if (files.isFile(mode)) judgeFiles.writeFile(target, files.readFile(source));
    }
  }
}

function framed(message) {
  const bytes = new Uint8Array(4 + message.length);
  new DataView(bytes.buffer).setUint32(0, message.length, true);
  bytes.set(message, 4);
  return bytes;
}
