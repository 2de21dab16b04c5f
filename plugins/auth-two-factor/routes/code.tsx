import {
  defineRoute,
  Joi,
  type PageOptions,
  Problem,
  refusedFlash,
  reply,
  type Route,
  type RouteContext,
  type Site,
  webPage,
} from '@mortise/plugin-sdk';
import type { SignInFlow } from '@mortise/sessions/api';
import { CodeForm } from '../pages/sign-in.js';
import { type Factors, wrongCode } from '../services/factors.js';
import { codePath, stepKey } from '../services/second-factor-step.js';
import { t } from '../texts/index.js';

/** Where nobody need be signed in, whatever the settings say. */
export const open = { actor: 'anyone', always: true } as const;

/** `/user/two_factor`: the second factor by a one-time code or a recovery code, while signing in. */
export const codePages = ({
  factors,
  signInFlow,
  site,
}: {
  readonly factors: Factors;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
}): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const page = async (
    { csrf }: Pick<RouteContext, 'csrf'>,
    userId: number,
    refused: { flash?: PageOptions['flash']; status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const { totp, keys } = await factors.of(userId);
    return webPage({
      title: t.later('code.title'),
      width: 'narrow',
      ...refused,
      body: <CodeForm hasApp={totp} hasKey={keys > 0} csrf={csrf} path={path} />,
    });
  };
  return [
    defineRoute({
      method: 'GET',
      path: codePath,
      access: open,
      handler: async (context) => {
        const pendingSignIn = await signInFlow.at(context, stepKey);
        return pendingSignIn ? page(context, pendingSignIn.account.id) : reply.redirect(path('/user/login'));
      },
    }),
    defineRoute({
      method: 'POST',
      path: codePath,
      access: open,
      payload: { as: 'form' },
      request: {
        payload: Joi.object<{ readonly passcode: string }>({ passcode: Joi.string().allow('').max(100).default('') }),
      },
      handler: async (context) => {
        const pendingSignIn = await signInFlow.at(context, stepKey);
        if (!pendingSignIn) return reply.redirect(path('/user/login'));
        const { id } = pendingSignIn.account;
        try {
          if (!(await factors.use(id, context.payload.passcode, context.remoteAddress))) throw wrongCode();
        } catch (error) {
          if (!Problem.is(error)) throw error;
          const status = error.code === 'invalid' ? 401 : error.status;
          return page(context, id, { flash: refusedFlash(error), status, headers: error.headers });
        }
        return signInFlow.pass(context, pendingSignIn, stepKey);
      },
    }),
  ];
};
