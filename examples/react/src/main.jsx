import { StrictMode, useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { VoxelPlayer } from './VoxelPlayer.jsx';

const manifest = 'http://localhost:8080/media/manifest.mpd';

function App() {
  const [lines, setLines] = useState([]);
  const onDelivered = useCallback((record) => {
    setLines((lines) => [...lines, `segment ${record.index}: ${record.delivery}, score ${record.score?.toFixed(3)}`]);
  }, []);
  return (
    <>
      <VoxelPlayer src={manifest} onDelivered={onDelivered} />
      <pre id="log">{lines.join('\n')}</pre>
    </>
  );
}

createRoot(document.querySelector('#root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
