// Texts that people type. A draft belongs to a submission and one of its fields, not to an element of
// the page: it outlives each drawing of the screen, a refusal, and a server that has ended. It goes
// when the store has this very text and the field is left, or when its writer discards it.
function Drafts() {
  "use strict";
  var kept = new Map();
  function place(number, key) { return number + " " + key; }
  function all() { return Array.from(kept.values()); }
  function waits(draft) { return draft.text.trim() !== draft.stored; }
  return {
    // `start` is for a new draft: the stored text, and the data to send with the text (null: only its
    // form is sent, by Enter or its button).
    typed: function (number, key, text, start) {
      var draft = kept.get(place(number, key)) || Object.assign({ number: number, key: key, change: "" }, start);
      draft.text = text;
      kept.set(place(number, key), draft);
      return draft;
    },
    get: function (number, key) { return kept.get(place(number, key)); },
    of: function (number) { return all().filter(function (draft) { return draft.number === number; }); },
    waiting: function () { return all().filter(waits); },
    waits: waits,
    // The store has this text, as this change; its writer may have typed on meanwhile.
    took: function (draft, text, change, seen) { draft.stored = text; draft.change = change; draft.seen = seen; },
    drop: function (draft) { kept.delete(place(draft.number, draft.key)); }
  };
}
