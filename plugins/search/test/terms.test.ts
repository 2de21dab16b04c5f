import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { slicesOf } from '../services/recent-first.js';
import { clausesOf, forMySql, forSqlite, scanOf, termsOf } from '../services/terms.js';

export const lab = Lab.script();
const { describe, it } = lab;
const words = (text: string) => termsOf(text).replaceAll('zq', '');

describe('terms of texts', () => {
  it('are words without accents, and the parts of compounds', () => {
    expect(words('Crème brûlée, 2 spoons!')).to.equal('creme brulee 2 spoons');
    expect(words('getUserName parse_http HTTPServer v2 a1b2c3d4e5f6a7b8')).to.equal(
      'getusername username name parsehttp http httpserver server v2 a1b2c3d4e5f6a7b8',
    );
    expect(words('ПРИВЕТ, мир')).to.equal('привет мир');
    expect(words('!!! …')).to.equal('');
  });

  it('are pairs of neighbours where there are no spaces', () => {
    expect(words('全文搜索 v3')).to.equal('全文 文搜 搜索 索 v3');
    expect(words('がか')).to.equal('がか か');
    expect(words('한국')).to.equal('한국 국');
    expect(words('𠀀𠀁')).to.equal('x20000x20001 x20001');
  });

  it('terms of a text are bounded in number and length', () => {
    expect(words('x'.repeat(500))).to.have.length(40);
    expect(words('ab '.repeat(100_000)).length).to.be.below(70_000);
    expect(clausesOf(Array.from({ length: 500 }, (_, at) => `a${at}`).join(' '))).to.have.length(20);
    expect(clausesOf('a b "c d" A '.repeat(500))).to.equal(clausesOf('a b "c d"'));
  });

  it('are looked through in slices, and not without end', () => {
    const documents = (count: number, bytes: number) =>
      Array.from({ length: count }, (_, at) => ({ id: count - at, bytes }));
    const lengths = (...[sized, phrases]: Parameters<typeof slicesOf>) =>
      slicesOf(sized, phrases).map((slice) => slice.length);
    expect(lengths(documents(1500, 2400), 1)).to.equal([1500]);
    expect(lengths(documents(5, 2 << 20), 1)).to.equal([2, 2, 1]);
    expect(lengths(documents(100, 2 << 20), 1)).to.equal(Array(8).fill(2));
    expect(lengths(documents(100, 2 << 20), 4)).to.equal([1, 1, 1, 1]);
    expect(slicesOf([], 1)).to.equal([]);
  });

  it('make expressions of what people type, and nothing of what they type can break them', () => {
    const both = (text: string) => [
      forSqlite(clausesOf(text), { subjectTypes: ['issue'], repositoryId: 7 }),
      forMySql(clausesOf(text)),
    ];
    expect(both('Fix it')).to.equal([
      '{title_terms body_terms} : ((("zqfix" *)) AND (("zqit" *))) AND scope : (zqfissue AND zqr7)',
      '+zqfix* +zqit*',
    ]);
    expect(both('userName')[1]).to.equal('+(zqusername* (+zquser* +zqname*))');
    expect(both('"out of order" 全文搜 索')[1]).to.equal('+"zqout zqof zqorder" +"zq全文 zq文搜" +zq索*');
    expect(both('a* OR (NEAR -b) "')[1]).to.equal('+zqa* +zqor* +zqnear* +zqb*');
    expect(clausesOf('?!"" \u0000')).to.equal([]);
    const scan = scanOf(clausesOf('Fix "out of"'), 'sqlite');
    expect(scan.bindings).to.equal([' zqfix', ' zqfix', ' zqout zqof ', ' zqout zqof ']);
    expect(scan.sql.split('?')).to.have.length(5);
  });
});
