/** Client: the library of nes tells by `window` that it runs in a browser, and a worker has none. */
Object.assign(globalThis, { window: globalThis });
export {};
