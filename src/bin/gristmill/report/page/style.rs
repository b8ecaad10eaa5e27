//! How a page looks.

/// The page's own style sheet: no fonts and no files from elsewhere.
pub const STYLE: &str = "
:root{--ink:#1f2430;--soft:#667085;--line:#e4e7ec;--blue:#0072b2}
*{box-sizing:border-box}
body{margin:0;background:#f5f6f8;color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
header{background:#14324a;color:#fff;padding:36px max(24px,calc(50vw - 516px)) 28px}
header h1{margin:0;font-size:28px;letter-spacing:-.01em}
header p{margin:4px 0 0;color:#c6d6e3}
.cards{display:flex;flex-wrap:wrap;gap:12px;margin-top:22px}
.cards div{background:rgba(255,255,255,.1);border-radius:8px;padding:10px 18px;min-width:132px}
.cards b{display:block;font-size:24px;font-variant-numeric:tabular-nums}
.cards span{color:#c6d6e3;font-size:13px}
main{max-width:1080px;margin:0 auto;padding:20px 24px 48px;display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px;align-items:start;grid-auto-flow:dense}
section{background:#fff;border:1px solid var(--line);border-radius:10px;padding:18px 22px;overflow-x:auto}
section:has(.pictures),section:has(.confusion){grid-column:1/-1}
h2{margin:0 0 8px;font-size:17px}
section p{margin:0 0 12px;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;margin:0 0 8px}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600;color:var(--soft);font-size:13px}
tr:last-child td,tr:last-child th{border-bottom:0}
td:not(:first-child){text-align:right}
th:not(:first-child){text-align:right}
.facts td:not(:first-child){text-align:left}
.facts td:first-child{white-space:nowrap;color:var(--soft);padding-right:22px}
.confusion{width:auto}
.confusion td,.confusion th{padding:7px 14px;text-align:center;border:1px solid #fff;min-width:58px}
.bars th,.bars td{border:0;padding:3px 0;white-space:nowrap;overflow-wrap:normal}
.bars th{font-weight:400;color:var(--ink);padding-right:14px}
.bars td:nth-child(2){width:100%;text-align:left;vertical-align:middle}
.bars td:last-child{padding-left:12px;color:var(--soft);font-size:13px}
.bars i{display:block;height:11px;border-radius:3px;background:var(--blue)}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(400px,1fr));gap:14px}
figure{margin:0;text-align:center}
svg{max-width:100%;height:auto}
@media(max-width:800px){main{grid-template-columns:1fr}.pictures{grid-template-columns:1fr}}
@media print{body{background:#fff}header{background:#fff;color:var(--ink);padding:0 24px}header p,.cards span{color:var(--soft)}.cards div{border:1px solid var(--line)}section{break-inside:avoid}}
";
