import type { Route } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import type { Owned } from '../contracts.js';
import { PluginError, problemOf, type StartProblem } from '../plugins/index.js';
import { checkRoutes } from '../registry/index.js';

/** The routes of all plugins, made with their services when they are first asked for. */
export class PluginRoutes {
  #made: readonly Owned<Route>[] | undefined;

  constructor(private readonly composition: Composition) {}

  list(): readonly Owned<Route>[] {
    const { container, declarations } = this.composition;
    return (this.#made ??= declarations.routes.flatMap(({ owner, dependencies, make }) => {
      try {
        return make(container.resolve(dependencies, owner)).map((value) => ({ owner, value }));
      } catch (error) {
        throw PluginError.of(owner, 'fails to make its routes', error);
      }
    }));
  }

  /** What can be told without the database: do points and routes come together? */
  check(): StartProblem[] {
    const problems = this.composition.points.fillAll();
    try {
      this.list();
    } catch (error) {
      problems.push(problemOf(error));
    }
    return problems;
  }

  /** What is wrong with the routes themselves, as far as they could be made. */
  faults(): StartProblem[] {
    return this.#made ? checkRoutes(this.#made, this.composition.points) : [];
  }
}
