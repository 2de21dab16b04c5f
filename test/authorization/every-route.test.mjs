// Walks every loaded route as every kind of actor, on people's and organizations' repositories of every visibility, and
// compares what happens with the access that the route declares (design, section 6): what may not be seen is 404, what may
// be seen but not done 403, no credentials where needed 401 (pages: 303 to sign-in). Handlers are reached but not run, so
// that what is allowed is tried as well as what is refused. A new plugin is covered by what its routes declare.
// Time: about 60 s
//
//   MORTISE_TEST_FULL=1   every actor at every place of every route on SQLite, instead of a fifth of the actors where the same
//                         declaration was walked already; on MariaDB every sixth route
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { categories, fill, isReading, rank, reached, scopesOf, startSite, surfaceOf } from './site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const maxShown = 60;
/** GET routes that answer 403 to an owner for reasons of their own, with the reason. */
const ownReasons = new Set([
  // switched off unless the operator wants them, and then for administrators and whom they allow
  '/api/v1/repos/{owner}/{repo}/hooks/git',
  '/api/v1/repos/{owner}/{repo}/hooks/git/{id}',
  '/{owner}/{repo}/settings/git-hooks',
  // for those who may ask for reviews: administrators of the site take no part in a repository by being that
  '/api/v1/repos/{owner}/{repo}/reviewers',
]);
/** Of a declaration that another route was asked with already, every so manieth actor is asked at each place. */
const share = process.env.MORTISE_TEST_FULL && process.env.MORTISE_TEST_ENGINE !== 'mysql' ? 1 : 5;
/** Those who look at every place of every route: what they must not see is what matters most. */
const always = ['anonymous', 'outsider'];
/** The kernel finds it wanting only after it let the request in. */
const isLetIn = (status) => status === reached || [400, 411, 413, 415, 422].includes(status);
const isRefused = (status) => status === 401 || status === 403;

describe('authorization over every route', { timeout: 600_000 }, () => {
  let site;
  let routes;
  before(async () => {
    site = await startSite({ settings: { quota: { ENABLED: true } } });
    routes = site.routes.filter(({ route }) => route.method !== '*' && route.method !== 'OPTIONS');
    // the rights are decided by the same code: on the second database a share of the routes is enough
    if (process.env.MORTISE_TEST_ENGINE === 'mysql') routes = routes.filter((_, index) => index % 6 === 0);
  });
  after(() => site?.close());

  /** Not signed in where it is needed: 401, and a page leads to sign-in. */
  const asksToSignIn = (route, status) => status === 401 || (surfaceOf(route) === 'page' && status === 303);

  it('every route declares what it needs', () => {
    expect(site.routes.length).to.be.above(150);
    for (const { plugin, route } of site.routes)
      expect(route.access?.actor, `${plugin}: ${route.method} ${route.path}`).to.be.a.string();
  });

  it('GEN-13: every page that the requirement names is costly', () => {
    const named =
      /^\/\{owner\}\/\{repo\}\/((src|raw|media|blame|commits?|compare|archive|graph|issues|pulls)(\/|$)|(wiki|activity)\/)/;
    const open = site.routes.filter(
      ({ route }) => route.method === 'GET' && route.access.actor === 'anyone' && named.test(route.path),
    );
    expect(open.length).to.be.above(20);
    expect(open.filter(({ route }) => !route.access.expensive).map(({ route }) => route.path)).to.equal([]);
  });

  /** What must happen before resources are looked at; undefined: nothing. */
  function ofCredentials({ access, method }, { actor, who }) {
    if (who === 'anonymous' && access.actor !== 'anyone') return 'sign in';
    if (access.actor === 'admin' && !actor.isAdmin) return 'refuse';
    const level = access.level ?? (isReading({ method }) ? 'read' : 'write');
    const levels = { read: 1, write: 2, delete: 3 };
    if (actor.scopes && scopesOf({ access }).some((one) => (levels[actor.scopes[one]] ?? 0) < levels[level]))
      return 'refuse';
    if (access.noPublicOnly && actor.publicOnly) return 'refuse';
    return undefined;
  }

  /** `hide`, `refuse` or `let in`, as the specification has it for the resource of the route. */
  const ofResource = {
    'repositories.repository'(route, one, place) {
      const { unit, mode = 'read' } = route.access;
      const units = unit === undefined ? [undefined] : [unit].flat();
      if (site.modeOf(one, place) === 'none') return 'hide';
      const modes = units.map((key) => site.modeOf(one, place, key));
      if (modes.every((have) => have === 'none')) return 'refuse or hide';
      return modes.some((have) => rank[have] >= rank[mode]) ? 'let in' : 'refuse';
    },
    'organizations.organization'({ access }, one, place) {
      if (place.kind !== 'organization') return 'hide';
      if (one.actor.publicOnly && place.visibility !== 'public') return 'refuse or hide';
      if (!site.sees(one, place)) return 'hide';
      const isOwner = one.actor.isAdmin || one.who === 'chief';
      if (access.mode === 'owner') return isOwner ? 'let in' : 'refuse';
      if (access.mode === 'write') return isOwner || site.isMember(one.who, place) ? 'let in' : 'refuse';
      return 'let in';
    },
    'organizations.team'({ access, path }, one, place) {
      if (one.actor.publicOnly && place.visibility !== 'public') return 'refuse or hide';
      const isOwner = one.actor.isAdmin || one.who === 'chief';
      const isMember = isOwner || site.isMember(one.who, place);
      const isInside = isOwner || one.who === 'member';
      const knows =
        isInside ||
        (place.teamVisibility === 'public' && site.sees(one, place)) ||
        (place.teamVisibility === 'limited' && isMember);
      if (!knows) return isMember && !path.includes('{team}') ? 'refuse or hide' : 'refuse or hide';
      if (access.mode === 'owner') return isOwner ? 'let in' : 'refuse';
      if (access.mode === 'write') return isMember ? 'let in' : 'refuse';
      return 'let in';
    },
    'packages.protocolOwner'({ access: { mode } }, one, place) {
      if (mode === undefined) return 'let in';
      if (one.actor.publicOnly && place.visibility !== 'public') return 'refuse';
      return rank[site.packageModeOf(one, place)] >= rank[mode] ? 'let in' : 'refuse';
    },
    'accounts.user'(route, one, place) {
      if (one.actor.publicOnly && place.visibility !== 'public') return 'refuse or hide';
      return site.sees(one, place) ? 'let in' : 'hide';
    },
  };

  /**
   * Whoever asks at the place. Rights follow from what the route declares: of each declaration one route is asked by
   * everybody at all of its places, and those that declare the same by actors that take turns.
   */
  function askers() {
    const all = Object.entries(site.actors);
    const declared = new Set();
    let turn = 0;
    return (route) => {
      const declaration = JSON.stringify([route.access, isReading(route), surfaceOf(route)]);
      const isFirst = !declared.has(declaration);
      declared.add(declaration);
      return () => {
        if (isFirst) return all;
        turn++;
        return all.filter(([name], at) => at % share === turn % share || always.includes(name));
      };
    };
  }

  /** The places at which a route is asked: all of them take turns, so that each route sees some and each kind all. */
  function placesOf(route, index) {
    const { places, teams } = site;
    switch (route.access.resource?.id) {
      case 'repositories.repository':
        return [
          places[0],
          places[1],
          ...[2, 5, 9].map((step) => places[2 + ((index * 3 + step) % (places.length - 2))]),
        ];
      case 'organizations.organization':
        return places.filter(({ kind, isPrivate }) => kind === 'organization' && isPrivate);
      case 'organizations.team':
        return places
          .filter(({ kind, isPrivate }) => kind === 'organization' && isPrivate)
          .flatMap((place) =>
            Object.entries(teams[place.visibility]).map(([teamVisibility, teamId]) => ({
              ...place,
              teamVisibility,
              teamId,
              team: site.teamNames[teamVisibility],
            })),
          );
      case 'packages.protocolOwner': {
        const owners = places.filter(({ isPrivate }) => isPrivate);
        return [owners[index % owners.length], owners[(index + 4) % owners.length]];
      }
      case 'accounts.user':
        return places.filter(({ isPrivate }) => isPrivate);
      default:
        return [places[0]];
    }
  }

  /** Why the status is wrong, or undefined. */
  function judge(route, name, expected, status) {
    const isApi = surfaceOf(route) === 'api';
    const isAnonymous = name === 'anonymous';
    if (status >= 500) return 'fails';
    switch (expected) {
      case 'sign in':
        return asksToSignIn(route, status) ? undefined : 'must sign in';
      case 'sign in or hide':
        return status === 404 || asksToSignIn(route, status) ? undefined : 'must sign in, or is hidden';
      case 'hide':
        if (status === 404) return undefined;
        if (isAnonymous && !isApi && asksToSignIn(route, status)) return undefined;
        // of files and feeds somebody is told that it is the token which does not reach them
        if (status === 403 && name.includes('public only') && !isApi) return undefined;
        return 'must not see it';
      case 'refuse or hide':
        return status === 404 || isRefused(status) || (isAnonymous && asksToSignIn(route, status))
          ? undefined
          : 'must not see or do it';
      case 'refuse':
        return isRefused(status) || (isAnonymous && asksToSignIn(route, status)) ? undefined : 'must not do it';
      default:
        return isLetIn(status) ? undefined : 'is allowed';
    }
  }

  it('lets in exactly whom the declaration lets in', async () => {
    const wrong = [];
    let asked = 0;
    const askersOf = askers();
    for (const [index, { route }] of routes.entries()) {
      const { access } = route;
      const actorsAt = askersOf(route);
      const decide = ofResource[access.resource?.id];
      for (const place of placesOf(route, index)) {
        const url = fill(route.path, place);
        for (const [name, one] of actorsAt()) {
          let expected = ofCredentials(route, one);
          if (expected === 'sign in' && access.actor === 'user' && !access.signInFirst) {
            // what is hidden from everybody is told to be missing all the same
            const open = decide?.(route, one, place);
            // a thing of which this test knows nothing may not be there
            const mayBeMissing = decide ? open !== 'let in' : access.resource !== undefined;
            if (mayBeMissing) expected = 'sign in or hide';
          }
          expected ??= decide ? decide(route, one, place) : access.resource ? undefined : 'let in';
          // resources of which this test knows nothing are asked for what credentials decide
          if (expected === undefined) continue;
          asked++;
          const status = await site.probe(one.actor, route.method, url, isReading(route) ? undefined : {});
          const why = judge(route, name, expected, status);
          if (why) wrong.push(`${route.method} ${url} as ${name} → ${status}: ${why} (${expected})`);
        }
      }
    }
    expect(asked).to.be.above(routes.length * 8);
    expect(wrong.length > maxShown ? [`${wrong.length} wrong`, ...wrong.slice(0, maxShown)] : wrong).to.equal([]);
  });

  it('a token opens what its categories and levels open, and nothing else', async () => {
    const wrong = [];
    // who may do everything, so that only the token can be in the way
    const { root } = site.users;
    const levels = { read: 1, write: 2, delete: 3 };
    const place = site.places[0];
    for (const { route } of routes) {
      const needed = scopesOf(route);
      if (needed.length === 0) continue;
      const level = route.access.level ?? (isReading(route) ? 'read' : 'write');
      const url = fill(route.path, place);
      const without = Object.fromEntries(
        categories.filter((one) => !needed.includes(one)).map((one) => [one, 'delete']),
      );
      const all = (value) => Object.fromEntries(needed.map((one) => [one, value]));
      const tokens = [
        ['no category', {}],
        ['every other category', without],
        ...['read', 'write', 'delete'].map((value) => [`${value} on what it needs`, all(value)]),
        ...(needed.length > 1 ? needed.map((one) => [`only ${one}`, { [one]: 'delete' }]) : []),
      ];
      for (const [title, scopes] of tokens) {
        const holds = needed.every((one) => (levels[scopes[one]] ?? 0) >= levels[level]);
        for (const method of ['token', 'oauth2']) {
          const actor = { ...root, method, scopes, credentialId: 1 };
          const status = await site.probe(actor, route.method, url, isReading(route) ? undefined : {});
          // clients of registries ask for other credentials after 401 only
          const no = route.access.resource?.id === 'packages.protocolOwner' ? 401 : 403;
          if (!holds && status !== no) wrong.push(`${route.method} ${url} by ${method} with ${title} → ${status}`);
          if (holds && isRefused(status) && !ownReasons.has(route.path))
            wrong.push(`${route.method} ${url} by ${method} with ${title} → ${status}, though it holds`);
        }
      }
    }
    expect(wrong.slice(0, maxShown)).to.equal([]);
  });

  it('what is read by its owner is neither refused nor fails', async () => {
    const wrong = [];
    for (const { route } of routes.filter(({ route }) => route.method === 'GET'))
      for (const place of [site.places[0], site.places.at(-1)])
        for (const actor of place.kind === 'user' ? [site.users.owner, site.users.root] : [site.users.chief]) {
          if (route.access.actor === 'admin' && !actor.isAdmin) continue;
          const url = fill(route.path, { ...place, team: 'Owners', teamId: site.teams.private.private });
          const { status } = await site.as(actor, 'GET', url);
          if (status >= 500) wrong.push(`GET ${url} as ${actor.name} → ${status}`);
          if (
            route.access.resource?.id === 'repositories.repository' &&
            isRefused(status) &&
            !ownReasons.has(route.path)
          )
            wrong.push(`GET ${url} as ${actor.name} → ${status}, though it is allowed`);
        }
    expect(wrong.slice(0, maxShown)).to.equal([]);
  });
});
