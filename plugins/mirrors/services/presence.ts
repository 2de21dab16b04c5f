const lookEveryMs = 3000;

/** Ends work for something that was deleted meanwhile, so that no connection stays open for it. */
export class PresenceWatch {
  readonly #gone = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(isPresent: () => Promise<boolean>) {
    this.#timer = setInterval(() => {
      void isPresent().then(
        (present) => {
          if (!present) this.#gone.abort(new Error('it was deleted'));
        },
        // the database is away: the work notices by itself
        () => undefined,
      );
    }, lookEveryMs);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
