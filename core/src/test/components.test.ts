import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  anonymous,
  CheckField,
  menuEntries,
  MenuLayout,
  NumberField,
  PostButton,
  RadioFields,
  Section,
  SelectField,
  TextField,
  withCsrf,
} from '@mortise/plugin-sdk';
import { h, type VNode } from 'preact';
import { renderToString as render } from 'preact-render-to-string';

export const lab = Lab.script();
const { describe, it } = lab;

const renderToString = (node: VNode) =>
  withCsrf(
    () => 'abc',
    () => render(node),
  );
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value);

describe('form parts', () => {
  const of = { name: 'size', label: 'Size <i>', note: 'How large' };
  const controls: Readonly<Record<string, VNode>> = {
    'a field for text': TextField({ ...of, value: '"a" & b' }),
    'a field for several lines': TextField({ ...of, lines: 3 }),
    'a field for a number': NumberField({ ...of, value: 3 }),
    'a list': SelectField({ ...of, value: 'b', options: [['b', 'B']] }),
    'a check': CheckField(of),
    'a choice': RadioFields({ name: 'size', label: 'Size', value: 'b', options: [['b', 'B', 'Larger']] }),
  };

  for (const [name, control] of Object.entries(controls)) {
    it(`ties ${name} to its label and help`, () => {
      const html = renderToString(control);
      const ids = attributes(html, 'id');
      expect(attributes(html, 'for')).to.have.length(1);
      expect(ids).to.include(attributes(html, 'for'));
      expect(attributes(html, 'aria-describedby')).to.have.length(1);
      expect(ids).to.include(attributes(html, 'aria-describedby'));
      expect(ids).to.equal([...new Set(ids)]);
      expect(html).not.to.include('<i>');
    });
  }

  it('uses the id that it is given', () => {
    const html = renderToString(TextField({ ...of, id: 'other' }));
    expect([attributes(html, 'for'), attributes(html, 'id')]).to.equal([['other'], ['other', 'other-note']]);
  });

  it('sends what is told of a check', () => {
    expect(attributes(renderToString(CheckField(of)), 'value')).to.equal(['true']);
    expect(attributes(renderToString(CheckField({ ...of, value: 'on' })), 'value')).to.equal(['on']);
  });

  it('keeps the first empty line of a text', () => {
    // browsers drop one line feed after the tag
    expect(renderToString(TextField({ name: 'text', label: 'Text', lines: 2, value: '\nb' }))).to.include('>\n\nb<');
  });

  it('makes a form of a button, with its token', () => {
    const html = renderToString(
      PostButton({ action: '/keys/delete', fields: { id: 7 }, label: 'Delete it', children: 'Delete' }),
    );
    expect(attributes(html, 'name')).to.equal(['_csrf', 'id']);
    expect(attributes(html, 'value')).to.equal(['abc', '7']);
    expect(html).to.startWith('<form method="post" action="/keys/delete">').and.to.include('aria-label="Delete it"');
    const looks = [{}, { danger: true }, { class: 'btn' }].map((look) =>
      attributes(renderToString(PostButton({ action: '/', children: 'Go', ...look })), 'class'),
    );
    expect(looks).to.equal([['btn btn-sm'], ['btn btn-sm btn-danger'], ['btn']]);
  });
});

describe('a button that asks before', () => {
  it('unfolds the question, and the button that does it, without a script', () => {
    const html = renderToString(
      PostButton({
        action: '/x',
        fields: { id: 7 },
        danger: true,
        confirm: 'Really?',
        children: 'Delete',
      }),
    );
    expect(html).to.match(
      /^<details [^>]*><summary class="btn btn-sm btn-danger">Delete<\/summary><form method="post"/,
    );
    expect(html.match(/<button/g)).to.have.length(1);
    expect(html.indexOf('Really?')).to.be.between(html.indexOf('<form'), html.indexOf('<button'));
    expect(attributes(html, 'value')).to.equal(['abc', '7']);
  });
});

describe('page parts', () => {
  it('a section of a form has a heading', () => {
    const html = renderToString(Section({ title: 'Keys', actions: h('a', { href: '/new' }, 'New'), children: 'Text' }));
    expect(html).to.match(/<h2 [^>]*>Keys<\/h2>.*<a href="\/new">New<\/a>.*Text/);
    expect(renderToString(Section({ title: 'Keys', level: 1 }))).to.include('<h1');
  });

  it('marks the page in its menu', () => {
    const entries = [
      { key: 'a', label: 'One', href: '/a' },
      { key: 'b', label: 'Two', href: '/b', icon: 'key' },
    ];
    const html = renderToString(MenuLayout({ label: 'Settings', entries, active: 'b', children: 'Body' }));
    expect(html).to.match(/aria-label="Settings".*href="\/a">.*href="\/b" aria-current="page">.*Body/);
    expect(attributes(html, 'aria-current')).to.have.length(1);
  });

  it('lists what of a menu somebody sees', () => {
    const items = [
      { key: 'a', label: 'One', href: '/a' },
      { key: 'b', label: 'Two', href: '/b', visible: (actor: { isAdmin: boolean }) => actor.isAdmin },
    ];
    const site = { path: (path: string) => `/sub${path}` };
    const hrefs = (isAdmin: boolean) =>
      menuEntries({ list: () => items }, { ...anonymous, isAdmin }, site).map((entry) => entry.href);
    expect([hrefs(false), hrefs(true)]).to.equal([['/sub/a'], ['/sub/a', '/sub/b']]);
  });
});
