import { Joi, postRoute, Problem, reply, type Route, type Text } from '@mortise/plugin-sdk';
import { writeAccess, type CodePageContext } from '@mortise/history/api';

type FormValues = Readonly<Record<string, string>>;
type Flash = { readonly kind: 'success' | 'error'; readonly text: Text };

const values = Joi.object().pattern(Joi.string(), Joi.string().allow('').max(20_000)).unknown();

/** A form of people that may write: it is done and leads on, or its page is shown again with what was refused. */
export function formRoute(
  path: string,
  act: (context: CodePageContext, form: FormValues) => Promise<string>,
  again: (context: CodePageContext, flash: Flash, status: number) => Promise<unknown>,
): Route {
  return postRoute(
    path,
    writeAccess,
    async (context) => {
      try {
        return reply.redirect(await act(context, context.payload as FormValues));
      } catch (error) {
        if (!Problem.is(error)) throw error;
        return again(context, { kind: 'error', text: error.text }, error.status);
      }
    },
    { payload: values },
  );
}

/** What a redirect after a form says on the next page; only these words, whatever the address holds. */
export function doneFlash(
  query: { readonly done?: unknown },
  words: Readonly<Record<string, Text>>,
): Flash | undefined {
  const text = typeof query.done === 'string' && Object.hasOwn(words, query.done) ? words[query.done] : undefined;
  return text ? { kind: 'success', text } : undefined;
}
