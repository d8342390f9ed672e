// Contract: what test/report.browser.test.ts asks the page. Runs inside the browser, so it stands apart from the sources of Node.
globalThis.inPage = (() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const textOf = (element) => (element?.textContent ?? '').trim();
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);

  function luminance(color) {
    const [r, g, b] = channels(color).slice(0, 3).map((c) => { const s = c / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** The colour that a text really stands on. */
  function ground(element) {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? ground(element.parentElement) : color;
  }

  function weakTexts(minimum) {
    const weak = [];
    let texts = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = textOf(node);
      if (text === '') continue;
      texts += 1;
      const [dark, light] = [luminance(getComputedStyle(node.parentElement).color), luminance(ground(node.parentElement))].sort((x, y) => x - y);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < minimum) weak.push({ text: text.slice(0, 40), ratio });
    }
    return { weak, texts };
  }

  /** What a person who hears the page would miss. */
  function missingNames() {
    const faults = [];
    const check = (ok, what) => { if (!ok) faults.push(what); };
    check(document.documentElement.lang === 'en', 'lang');
    check(document.title.trim() !== '', 'title');
    for (const name of ['main', 'header', 'footer', 'h1']) check(all(name).length === 1, `one ${name}`);
    check(all('table').length > 2, 'tables');
    for (const table of all('table')) check(textOf(table.querySelector('caption')) !== '', 'caption');
    for (const th of all('th')) check(th.getAttribute('scope') === (th.closest('thead') === null ? 'row' : 'col'), `scope of ${textOf(th)}`);
    for (const row of all('tbody tr')) check(row.querySelector('th[scope=row]') !== null, 'row without a header');
    for (const row of all('tr')) check(row.children.length === row.closest('table').querySelector('tr').children.length, 'row of another length');
    check(all('svg').length > 2, 'plots');
    for (const svg of all('svg')) check(svg.getAttribute('role') === 'img' && (svg.getAttribute('aria-label') ?? '').length > 20, 'plot without words');
    for (const part of all('[aria-labelledby]')) check(textOf(document.getElementById(part.getAttribute('aria-labelledby'))) !== '', 'label that is not there');
    for (const part of all('nav, [role=region], section')) check(part.hasAttribute('aria-label') || part.hasAttribute('aria-labelledby'), 'landmark without a name');
    for (const link of all('a')) check(textOf(link) !== '' && document.getElementById(link.getAttribute('href').slice(1)) !== null, 'link to nowhere');
    const ids = all('[id]').map((element) => element.id);
    check(new Set(ids).size === ids.length, 'one id twice');
    const levels = all('h1, h2, h3, h4, h5, h6').map((heading) => Number(heading.tagName.slice(1)));
    levels.forEach((level, i) => check(i === 0 ? level === 1 : level <= levels[i - 1] + 1, `heading ${i} skips a level`));
    for (const element of all('*')) {
      check(![...element.attributes].some(({ name }) => name === 'style' || name.startsWith('on')), `attribute of ${element.tagName}`);
      check((element.getAttribute('tabindex') ?? '0') === '0', 'tab order by numbers');
    }
    check(all('script, img, iframe, object, link, form').length === 0, 'foreign element');
    return faults;
  }

  /** What a page without escaping would hold. */
  function intrude() {
    const at = document.createElement('div');
    at.innerHTML = `<img src="http://192.0.2.1/x.png" onerror="document.title='owned'"><link rel="stylesheet" href="http://192.0.2.1/x.css"><iframe src="http://192.0.2.1/"></iframe>`;
    const script = document.createElement('script');
    script.textContent = "document.title='owned'";
    document.body.append(at, script);
  }

  function unfold(open) {
    for (const details of all('details')) details.open = open;
  }

  const widths = () => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth });

  /** Numbers every stop of the keyboard in the order of reading. */
  function numberStops() {
    const stops = all('a[href], summary, [tabindex="0"]').filter((element) => element.matches('summary') || element.closest('details:not([open])') === null);
    stops.forEach((element, i) => element.setAttribute('data-order', String(i)));
    document.activeElement?.blur();
    return stops.length;
  }

  function focused() {
    const element = document.activeElement;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return {
      order: element.getAttribute('data-order') ?? '', visible: box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
      outline: style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
    };
  }

  return { weakTexts, missingNames, intrude, unfold, widths, numberStops, focused };
})();
