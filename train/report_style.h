// The style sheet of the report. Colours are variables, once for light and once for dark.
#pragma once

namespace heed::train {

inline constexpr const char* kReportStyle = R"css(
:root{color-scheme:light dark;--ground:#fbfbfa;--card:#fff;--ink:#1f2328;--soft:#5b6470;--line:#e3e6ea;
  --shade:255 140 0;--bar:#e8790c;--right:#1a7f4b;--wrong:#c4312b;--hit:47 127 214;--miss:214 69 56;--proof:#1f9e77}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1b1f25;--ink:#e6edf3;--soft:#9aa4af;
  --line:#2c333b;--shade:205 98 0;--bar:#e8871e;--right:#3fbf7f;--wrong:#ff7b72;--hit:47 110 190;
  --miss:190 60 50;--proof:#3fb894}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,"Segoe UI",Roboto,
  "Noto Sans","Noto Sans CJK SC",sans-serif;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main{max-width:1080px;margin:0 auto;padding:40px 20px 80px}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 24px}
h2{font-size:1.15rem;margin:44px 0 12px}
p.note{color:var(--soft);font-size:.9rem;margin:0 0 14px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:1px;margin:0;
  background:var(--card);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.facts div{padding:12px 16px;box-shadow:0 0 0 1px var(--line)}
.facts dt{color:var(--soft);font-size:.8rem}
.facts dd{margin:0;font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px;margin-top:16px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px}
.charts svg{display:block;width:100%;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th{font-weight:500;color:var(--soft);padding:6px 12px;text-align:right;white-space:nowrap}
thead .span{text-align:center;font-size:.8rem;padding-bottom:0}
td{padding:7px 14px;text-align:right;min-width:64px;border:2px solid var(--card);border-radius:6px}
td.cell{background:rgb(var(--tint)/var(--a))}
td.hit{--tint:var(--hit);font-weight:600}td.miss{--tint:var(--miss)}
td.score{color:var(--soft)}
.filter{font-size:.9rem;color:var(--soft);cursor:pointer}
#wrong{accent-color:var(--bar);margin:0 6px 14px 0;vertical-align:baseline}
#wrong:checked~article.right{display:none}
article{margin:0 0 14px}
article header{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline;font-size:.9rem;
  padding-bottom:8px;margin-bottom:8px;border-bottom:1px solid var(--line)}
article header b{font-size:1rem}
.mark{font-weight:700}.right .mark,.right b{color:var(--right)}.wrong .mark,.wrong b{color:var(--wrong)}
.soft{color:var(--soft)}
.s{display:grid;grid-template-columns:96px 1fr;gap:14px;padding:2px 0}
.bar{display:flex;align-items:center;gap:8px;height:1.6rem;font-size:.75rem;color:var(--soft);
  font-variant-numeric:tabular-nums}
.bar span{width:30px;text-align:right}
.bar i{display:block;height:8px;border-radius:4px;background:var(--bar);width:calc(58px*var(--a));min-width:1px}
.s p{margin:0;min-width:0;overflow-wrap:anywhere;padding-left:10px;border-left:3px solid transparent}
.s.proof p{border-left-color:var(--proof)}
.w{border-radius:4px;padding:1px 1.5px;margin:0 -1.5px;background:rgb(var(--shade)/var(--a));
  box-decoration-break:clone;-webkit-box-decoration-break:clone}
.key{display:inline-block;width:90px;height:.8em;border-radius:4px;margin:0 4px;vertical-align:-1px;
  background:linear-gradient(90deg,rgb(var(--shade)/0),rgb(var(--shade)))}
.keys{white-space:nowrap}
.key.proof{width:3px;height:1em;border-radius:0;background:var(--proof);margin:0 6px 0 14px}
@media(max-width:560px){main{padding:24px 12px 48px}.s{grid-template-columns:52px 1fr;gap:6px}
  .bar i{width:calc(16px*var(--a))}.bar{gap:5px}}
)css";

}  // namespace heed::train
