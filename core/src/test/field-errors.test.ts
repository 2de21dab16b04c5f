import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  checkFields,
  defineRoute,
  formRoute,
  formText,
  Invalid,
  invalidInput,
  Joi,
  Problem,
  reply,
  SelectField,
  TextField,
  webPage,
  type FormValues,
} from '@mortise/plugin-sdk';
import { h } from 'preact';
import { httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const token = defineRoute({
  method: 'GET',
  path: '/token',
  surface: 'page',
  access: { actor: 'anyone' },
  handler: ({ csrf }) => reply.text(csrf),
});
const form = formRoute(
  '/form',
  { actor: 'anyone' },
  async (_context, values) => {
    await checkFields({
      title: () => {
        if (!formText(values, 'title')) throw Invalid('Title is required.');
      },
      kind: async () => {
        if (formText(values, 'kind') !== 'b') throw Invalid('Choose <b>.');
      },
    });
    throw Invalid('Nothing to do.', { inputs: { name: 'The name is taken.' } });
  },
  (_context, values: FormValues, flash) =>
    webPage({
      title: 'Form',
      status: 422,
      flash,
      body: h(
        'form',
        {},
        h(TextField, { name: 'title', label: 'Title', note: 'Short.', value: formText(values, 'title') }),
        h(SelectField, { name: 'kind', label: 'Kind', options: [['a', 'A']] }),
        h(TextField, { name: 'repo_name', input: 'name', label: 'Name' }),
      ),
    }),
);

const post = async (fields: Record<string, string>) => {
  const { inject } = await httpKit({ routes: [token, form] });
  const page = await inject({ url: '/token' });
  const answer = await inject({
    method: 'POST',
    url: '/form',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: String(page.headers['set-cookie']).split(';')[0]!,
      'x-csrf-token': page.payload,
    },
    payload: new URLSearchParams(fields).toString(),
  });
  expect(answer.statusCode, answer.payload).to.equal(422);
  return answer.payload;
};

describe('refused forms', () => {
  it('say at each field what is wrong with it, all at once', async () => {
    const page = await post({ title: '', kind: 'a' });
    expect(page).to.match(/<input[^>]*id="field-title"[^>]*aria-describedby="field-title-error field-title-note"/);
    expect(page.match(/aria-invalid="true"/g)).to.have.length(2);
    expect(page).to.match(/id="field-kind-error">.*Choose &lt;b>\./);
    expect(page).to.contain('Title is required. Choose &lt;b>.');
  });

  it('find the field that has another name in the refusal, and leave the others alone', async () => {
    const page = await post({ title: 'x', kind: 'b' });
    expect(page.match(/aria-invalid="true"/g)).to.have.length(1);
    expect(page).to.match(/id="field-repo_name-error">.*The name is taken\./);
  });

  it('know the fields that a schema refused', () => {
    const schema = Joi.object({ title: Joi.string().required(), size: Joi.number() });
    const { error } = schema.validate({ size: 'x' }, { abortEarly: false });
    expect(Object.keys(invalidInput(error!).inputs)).to.equal(['title', 'size']);
  });

  it('pass on what is no refusal', async () => {
    const fault = new TypeError('no');
    const checks = {
      a: () => {
        throw fault;
      },
    };
    expect(await expect(checkFields(checks)).to.reject()).to.shallow.equal(fault);
    const refused = await expect(checkFields({ a: () => Promise.reject(Invalid('a')) })).to.reject();
    expect(Problem.is(refused)).to.be.true();
    await checkFields({ a: () => 1 });
  });
});
